"""``nearkind transform``."""

from nearkind.cli import options


def transform(query: options.Query, written: options.TableOutput) -> None:
    """Write a vector per row, as CSV, with the model's distances as Euclidean ones.

    Of several distances that vote together the first one is taken.
    """
    from nearkind.cli.model_table import vector_columns

    written.check(query.inputs)
    table = query.known()
    written.write(vector_columns(table, table.columns if written.keep else {}))

"""``nearkind transform``."""

from nearkind.cli import options


def transform(query: options.Query, written: options.TableOutput) -> None:
    """Turn each row into a vector, as CSV; Euclidean distances are those of the model.

    Of several distances that vote together the first one is taken.
    """
    from nearkind.cli.model_table import vector_columns

    written.check(query.inputs)
    table = query.known()
    written.write(vector_columns(table, table.columns if written.keep else {}))

"""``nearkind transform``."""

from nearkind.cli import options


def transform(query: options.Query, written: options.TableOutput) -> None:
    """Turn each row into a vector, as CSV; Euclidean distances are those of the model.

    Of several distances that vote together the first one is taken.
    """
    from nearkind.cli.model_table import vector_columns, write_table

    written.check(query.inputs)
    table = query.known()
    beside = table.columns if written.keep else {}
    write_table(vector_columns(table, beside), written.output)

from inspector.analysis.export.parquet_tables import ParquetError as ParquetError, ParquetTables as ParquetTables
from inspector.analysis.export.preset_export import TARGETS as TARGETS, export_text as export_text

from inspector.analysis.export.preset_export import TARGETS as TARGETS, export_text as export_text

"""An opened session: plans, previews, exports, bookmarks and memories."""

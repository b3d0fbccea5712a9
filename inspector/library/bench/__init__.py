"""Work on an open session: plans, previews, exports, bookmarks and memories."""

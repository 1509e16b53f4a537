"""The kernel view: one page without a network, for a browser from a file and for an editor as its web view."""

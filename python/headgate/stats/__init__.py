"""Statistics: responses to effects, outliers and intervals."""

"""What results look like: pictures, analyses, interactive pictures, pages, notebooks."""

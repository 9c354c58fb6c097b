package result

import "testing"

func TestNounsAreThoseOfTheHeader(t *testing.T) {
	for _, c := range []struct{ row, column, value, rows, columns, entries string }{
		{"user", "book", "rating", "users", "books", "ratings"},
		{"userId", "movieId", "rating", "users", "movies", "ratings"},
		{"cell_line", "Drug", "IC50", "cell lines", "drugs", "entries"},
		{"Patients", "study_id", "responses", "patients", "studies", "responses"},
		{"person", "movies", "score", "people", "movies", "scores"},
		{"city", "bus", "sales", "cities", "buses", "sales"},
		{"row", "column", "value", "rows", "columns", "entries"},
		{"", "col", "val", "rows", "columns", "entries"},
		{"id", "id", "x", "rows", "columns", "entries"},
		{"V1", "<b>", "3", "rows", "columns", "entries"},
	} {
		n := NounsOf(c.row, c.column, c.value)
		if n.Rows() != c.rows || n.Columns() != c.columns || n.Entries() != c.entries {
			t.Errorf("%s, %s, %s: %s, %s, %s", c.row, c.column, c.value, n.Rows(), n.Columns(), n.Entries())
		}
	}
	if n := NounsOf("row", "column", "value"); n != nil {
		t.Errorf("nothing said gives %+v", n)
	}
}

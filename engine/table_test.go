package engine

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"optcomplete/internal/must"
)

func TestTableOf(t *testing.T) {
	for path, want := range map[string]string{
		"hdfs:///r/*.parquet": "parquet ", "s3a://bucket/ratings.parquet/": "parquet ", "/x/ratings.csv.gz": "csv ", "/x/a.TSV": "csv \t", "/x/a": "error", "/x/a.xlsx": "error",
	} {
		got := "error"
		if table, err := TableOf(path, "", ""); err == nil {
			got = table.Format + " " + table.Delimiter
			if table.Path != path {
				t.Errorf("%s became %s", path, table.Path)
			}
		}
		if got != want {
			t.Errorf("%s is %q, not %q", path, got, want)
		}
	}
	if table, err := TableOf("parts/", "parquet", ""); err != nil || !strings.HasPrefix(table.Path, "/") {
		t.Errorf("%+v %v", table, err)
	}
}

// TestCopy: what Spark reads comes as CSV or as Arrow; a path cannot end its quotes.
func TestCopy(t *testing.T) {
	f := newFake(t)
	var made string
	f.refuse = func(_, sql string, _ *http.Request) (int, string) {
		if strings.HasPrefix(sql, "CREATE") {
			made = sql
		}
		return 0, ""
	}
	s := must.Get(Connect(context.Background(), Settings{Address: f.address}))(t)
	defer s.Close()
	var out bytes.Buffer
	must.Do(t, s.Copy(context.Background(), Table{Path: "/it's", Format: "csv", Delimiter: ";"}, &out))
	if got, want := out.String(), "user,film,stars\n007,\"a,b\",3\nu,c,4.5\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if !strings.Contains(made, `USING csv OPTIONS (path '/it\'s', header 'true', `) || !strings.HasSuffix(made, `, sep ';')`) {
		t.Error(made)
	}
	out.Reset()
	must.Do(t, s.Copy(context.Background(), Table{Path: "/x", Format: "parquet"}, &out))
	r, err := ipc.NewReader(&out)
	if err != nil || !r.Next() || r.RecordBatch().NumRows() != 2 {
		t.Errorf("no stream of two rows: %v", err)
	}
}

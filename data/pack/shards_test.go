package pack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// sharded is a pack and the same as a folder of packs.
func sharded(t *testing.T, rows int) (*File, string) {
	t.Helper()
	dir := t.TempDir()
	ids := make([]string, 40)
	for j := range ids {
		ids[j] = fmt.Sprint("c", j)
	}
	w := must.Get(Create(filepath.Join(dir, "one.pack"), ids, WriterOptions{}))(t)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range rows {
		var columns []int32
		var values []float64
		for j := range 40 {
			if r.Float64() < float64(i%5)/5 {
				columns, values = append(columns, int32(j)), append(values, float64(1+r.IntN(5)))
			}
		}
		must.Do(t, w.Append(fmt.Sprint("r", i), columns, values))
	}
	must.Do(t, w.Close())
	one := must.Get(Open(filepath.Join(dir, "one.pack")))(t)
	t.Cleanup(func() { one.Close() })
	folder := filepath.Join(dir, "many.packs")
	if _, err := WriteShards(context.Background(), one, folder, 10_000, 3); err != nil {
		t.Fatal(err)
	}
	return one, folder
}

func TestShardsAreOneSource(t *testing.T) {
	one, folder := sharded(t, 3000)
	many := must.Get(OpenAny(folder))(t)
	defer many.Close()
	if n := len(many.(*Shards).Manifest.Shards); n < 3 {
		t.Fatalf("there are only %d shards", n)
	}
	if !slices.Equal(one.RowIDs(), many.RowIDs()) || !slices.Equal(one.ColumnIDs(), many.ColumnIDs()) || !slices.Equal(data.Chunks(one), data.Chunks(many)) {
		t.Fatal("ids or chunks differ")
	}
	a, b := one.Reader(), many.Reader()
	for _, i := range rand.New(rand.NewPCG(5, 6)).Perm(3000) {
		ca, va, _ := a.Append(i, nil, nil)
		cb, vb, err := b.Append(i, nil, nil)
		if err != nil || !slices.Equal(ca, cb) || !slices.Equal(va, vb) || one.Entries(i) != many.Entries(i) {
			t.Fatalf("row %d differs: %v", i, err)
		}
	}
}

func TestShardsWithoutRows(t *testing.T) {
	_, folder := sharded(t, 0)
	many := must.Get(OpenShards(folder))(t)
	defer many.Close()
	if rows, columns := many.Dims(); rows != 0 || columns != 40 {
		t.Fatalf("%d × %d", rows, columns)
	}
}

func TestShardsOfAnotherPackAreRefused(t *testing.T) {
	_, folder := sharded(t, 3000)
	first, second := filepath.Join(folder, "part-00000.pack"), filepath.Join(folder, "part-00001.pack")
	content := must.Get(os.ReadFile(second))(t)
	must.Do(t, os.WriteFile(first, content, 0o666))
	if _, err := OpenShards(folder); err == nil || !strings.Contains(err.Error(), "part-00000.pack: is not the pack that the manifest names") {
		t.Fatalf("a wrong shard gives %v", err)
	}
	must.Do(t, os.Remove(first))
	if _, err := OpenShards(folder); err == nil || !strings.Contains(err.Error(), "part-00000.pack: there is no such file") {
		t.Fatalf("a missing shard gives %v", err)
	}
	for _, text := range []string{"", "{}", `{"format":"optcomplete shards","version":9}`, `{"format":"optcomplete shards","version":1}`, `{"format":"optcomplete shards","version":1,"shards":[{"file":"../x"}]}`} {
		must.Do(t, os.WriteFile(filepath.Join(folder, manifestFile), []byte(text), 0o666))
		if _, err := OpenShards(folder); err == nil {
			t.Errorf("the manifest %q is taken", text)
		}
	}
}

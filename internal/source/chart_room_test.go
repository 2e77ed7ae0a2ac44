package source

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// heavy makes a chart's archive of some KiB that unpacks to so many bytes, of
// which rendering it takes nothing.
func heavy(t testing.TB, name string, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	add := func(file string, size int64, from io.Reader) {
		if err := w.WriteHeader(&tar.Header{Name: name + "/" + file, Typeflag: tar.TypeReg, Size: size, Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, from); err != nil {
			t.Fatal(err)
		}
	}
	meta := "apiVersion: v2\nname: " + name + "\nversion: 1.0.0\n"
	add("Chart.yaml", int64(len(meta)), strings.NewReader(meta))
	add(".helmignore", 4, strings.NewReader("big\n"))
	add("big", size, io.LimitReader(zeros{}, size))
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// newHeavyServer has so many charts c0, c1, …, each of a size once it is unpacked.
func newHeavyServer(t testing.TB, charts int, size int64) *helmServer {
	t.Helper()
	archives := map[string][]byte{}
	var index strings.Builder
	index.WriteString("apiVersion: v1\nentries:\n")
	for i := range charts {
		name := fmt.Sprintf("c%d", i)
		archives[name+".tgz"] = heavy(t, name, size)
		fmt.Fprintf(&index, "  %s:\n  - {version: 1.0.0, urls: [%s.tgz]}\n", name, name)
	}
	return newHelmServer(t, archives, index.String())
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestChartsTakeNoMoreThanTheirRoom reads as many charts as one application may
// name besides its sources. Each is within what an archive may unpack to; what
// stays of all is what there is room for, while their snapshots are held and can
// be read. What was read of another project stays.
func TestChartsTakeNoMoreThanTheirRoom(t *testing.T) {
	const charts, size, room = 32, 4 << 20, 24 << 20
	red, blue := newHeavyServer(t, charts, size), newHeavyServer(t, 1, 1<<20)
	r := newRegistry(t, Options{Limits: Limits{UnpackedBytes: room}})
	ours := snap(t, r, gitops.SourceRef{RepoURL: blue.URL + "/charts", Chart: "c0", Project: "blue"})
	before := heap()
	var all []*gitops.Snapshot
	for i := range charts {
		all = append(all, snap(t, r, gitops.SourceRef{RepoURL: red.URL + "/charts", Chart: fmt.Sprintf("c%d", i), Revision: "1.0.0", Project: "red"}))
	}
	if held := heap() - before; held > room {
		t.Errorf("%d charts of 4 MiB hold %d MiB, and have 24", charts, held>>20)
	}
	for i, s := range all {
		if meta := content(t, s, "Chart.yaml"); !strings.Contains(meta, fmt.Sprintf("name: c%d\n", i)) {
			t.Errorf("chart %d is %q when it is read again", i, meta)
		}
	}
	if n := red.archives.Load(); n != charts {
		t.Errorf("%d charts were fetched %d times", charts, n)
	}
	// Its archive goes from the disk: what is read is what was unpacked.
	for _, file := range cached(t, r, "helm/*/charts/*") {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	content(t, ours, "Chart.yaml")
	runtime.KeepAlive(all)
}

// cached are the files that a registry has by a pattern.
func cached(t testing.TB, r *Registry, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are the files %q: %v", files, err)
	}
	return files
}

// TestChartThatIsTooLargeFailsAlone has one among others.
func TestChartThatIsTooLargeFailsAlone(t *testing.T) {
	large, others := newHeavyServer(t, 1, 8<<20), newHeavyServer(t, 2, 1<<20)
	r := newRegistry(t, Options{Limits: Limits{UnpackedBytes: 6 << 20}})
	ref := gitops.SourceRef{RepoURL: large.URL + "/charts", Chart: "c0"}
	_, err := r.Snapshot(t.Context(), ref)
	p := problem(t, err)
	if p.Kind != gitops.Invalid || p.Fix == "" || p.Where.RepoURL == "" || !strings.Contains(p.What, "more than 4 MiB of memory") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"c0", "c1"} {
		content(t, snap(t, r, gitops.SourceRef{RepoURL: others.URL + "/charts", Chart: name}), "Chart.yaml")
	}
}

// TestChartsThatAreGoneAreFetchedAgain clears the cache folder below what was
// dropped from memory.
func TestChartsThatAreGoneAreFetchedAgain(t *testing.T) {
	server := newHeavyServer(t, 3, 2<<20)
	r := newRegistry(t, Options{Limits: Limits{UnpackedBytes: 4 << 20}})
	ref := func(i int) gitops.SourceRef {
		return gitops.SourceRef{RepoURL: server.URL + "/charts", Chart: fmt.Sprintf("c%d", i), Project: "red"}
	}
	first := snap(t, r, ref(0))
	snap(t, r, ref(1))
	snap(t, r, ref(2)) // there is room for one
	for _, file := range cached(t, r, "helm/*/charts/*") {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	_, err := first.Tree.ReadFile("Chart.yaml")
	if p := problem(t, err); p.Kind != gitops.Unreachable || errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is told as %v", err)
	}
	if meta := content(t, snap(t, r, ref(0)), "Chart.yaml"); !strings.Contains(meta, "name: c0\n") {
		t.Errorf("it is %q", meta)
	}
}

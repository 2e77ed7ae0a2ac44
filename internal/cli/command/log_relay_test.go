package command

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/klog/v2"
)

// TestKubernetesLibrariesWriteToTheLog that the process has then, and not to that which it had before.
func TestKubernetesLibrariesWriteToTheLog(t *testing.T) {
	before, kube := slog.Default(), kubeLog.now()
	t.Cleanup(func() {
		slog.SetDefault(before)
		kubeLog.set(kube)
	})
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if _, err := LogTo(out, "text", slog.LevelWarn); err != nil {
			t.Fatal(err)
		}
		klog.Error("watch of shops has ended")
		klog.Info("nobody asked for this")
		klog.Flush()
	}
	for i, text := range []string{first.String(), second.String()} {
		if strings.Count(text, "watch of shops has ended") != 1 || strings.Contains(text, "nobody asked") {
			t.Errorf("log %d has %q", i+1, text)
		}
	}
}

// TestLogsThatCannotBe are told with what was tried, and leave the last one where it is.
func TestLogsThatCannotBe(t *testing.T) {
	top := t.TempDir()
	blocked := filepath.Join(top, "file")
	if err := os.WriteFile(blocked, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "full", "up.log.1", "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, "full", "up.log"), []byte("why it ended"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{filepath.Join(blocked, "up.log"): "cannot make the folder of the log: ", filepath.Join(top, "full", "up.log"): "cannot keep the last log: "} {
		if f, err := LogFile(path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
	if got := Tail(filepath.Join(top, "full", "up.log"), 3); got != "why it ended" {
		t.Errorf("the last one has %q", got)
	}
	if err := IgnoreMissing(os.Remove(filepath.Join(top, "full"))); err == nil {
		t.Error("another failure than that there is none is left out")
	}
}

// TestColoursAreForPeople: none go to a file, whatever is said of them, and what programs read goes there as it is.
func TestColoursAreForPeople(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	var errs bytes.Buffer
	streams, end := Streams{In: strings.NewReader(""), Out: file, Err: &errs}.Safe()
	defer end()
	g := &Global{Streams: streams}
	if Terminal(g.Out) || WidthOf(g.Out) != 0 || WidthOf(g.Err) != 0 || g.Style(g.Out).Title("x") != "x" {
		t.Error("a file is taken for a terminal")
	}
	if Exact(g.Out) != file {
		t.Error("what programs read is changed on its way to a file")
	}
	g.Moved("causeway confirm", "causeway approve")
	end()
	if errs.String() != "causeway confirm is causeway approve now\n" {
		t.Errorf("it says %q", errs.String())
	}
}

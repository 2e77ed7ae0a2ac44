package logs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/klog/v2"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
)

func TestAllLogsMeet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	sink, err := ToFile(path)
	if err != nil {
		t.Fatal(err)
	}
	klog.Warning("of klog")
	sink.Zap().Warn("of zap")
	sink.Zap().Info("small talk")
	kwoklog.FromContext(sink.Kwok(t.Context())).Warn("of kwok")
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	klog.Warning("too late")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"of klog": 1, "of zap": 1, "of kwok": 1, "small talk": 0, "too late": 0} {
		if got := strings.Count(string(body), text); got != want {
			t.Errorf("%q is there %d times, want %d", text, got, want)
		}
	}
}

func TestLargeLogIsSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, make([]byte, keep+1), 0o600); err != nil {
		t.Fatal(err)
	}
	sink, err := ToFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	now, err1 := os.Stat(path)
	old, err2 := os.Stat(path + ".old")
	if err1 != nil || err2 != nil || now.Size() != 0 || old.Size() != keep+1 {
		t.Errorf("sizes are %v, %v; errors %v, %v", now, old, err1, err2)
	}
}

func TestNoFolder(t *testing.T) {
	if _, err := ToFile(filepath.Join(t.TempDir(), "no", "log")); err == nil || !strings.Contains(err.Error(), "no/log") {
		t.Errorf("got %v, want the path in it", err)
	}
}

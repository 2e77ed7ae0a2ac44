package mirror

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	for path, text := range map[string]string{
		filepath.Join(dir, "v1/install.yaml"): "kind: Thing\n",
		filepath.Join(dir, ".git/config"):     "secret: 1\n",
		filepath.Join(dir, "big"):             strings.Repeat("x", maxFile+1),
		outside:                               "secret\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	table := NewTable([]Mirror{{URL: "https://github.com/org/repo/releases/download", Path: dir}})
	const at = "https://github.com/org/repo/releases/download"
	tests := map[string]struct {
		reason, url, want string
		missing           bool
	}{
		"File":     {reason: "a folder has what is below its address", url: at + "/v1/install.yaml", want: "kind: Thing\n"},
		"Other":    {reason: "a file that it lacks may be had elsewhere", url: at + "/v2/install.yaml", missing: true},
		"Nobody's": {reason: "no mirror is for that address", url: "https://example.com/v1/install.yaml", missing: true},
		"Itself":   {reason: "the address of the folder is none of a file", url: at, missing: true},
		"Question": {reason: "what is asked decides what a server answers", url: at + "/v1/install.yaml?raw=1", missing: true},
		"Folder":   {reason: "a folder is no file", url: at + "/v1"},
		"Git":      {reason: "what Git keeps is not served", url: at + "/.git/config"},
		"Large":    {reason: "a file is bounded", url: at + "/big"},
		"Link":     {reason: "a link may not lead out of the folder", url: at + "/link"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := table.File(tc.url)
			if string(got) != tc.want && err == nil {
				t.Errorf("%s: got %.20q", tc.reason, got)
			}
			if (tc.want == "") != (err != nil) || errors.Is(err, fs.ErrNotExist) != tc.missing {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

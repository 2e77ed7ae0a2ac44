package archive

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestLinksToLargeFiles has as many links to one file as an archive may have:
// to read it for each would take an hour.
func TestLinksToLargeFiles(t *testing.T) {
	files := []tar.Header{regular("large", strings.Repeat("x", 16<<20))}
	for i := range 49_000 {
		files = append(files, tar.Header{Typeflag: tar.TypeLink, Name: fmt.Sprintf("l%d", i), Linkname: "large"})
	}
	tree, err := Unpack(bytes.NewReader(pack(t, files...)), Limits{Bytes: 32 << 20, Files: 50_000})
	if err != nil {
		t.Fatal(err)
	}
	large, _ := tree.Digest("large")
	link, _ := tree.Digest("l7")
	if large == "" || link != large {
		t.Errorf("a link is what it leads to: %q and %q", link, large)
	}
}

func TestFoldersInOneAnother(t *testing.T) {
	var files []tar.Header
	for i := range 500 {
		files = append(files, regular(fmt.Sprintf("d%d/%sx", i, strings.Repeat("a/", 500)), ""))
	}
	_, err := Unpack(bytes.NewReader(pack(t, files...)), Limits{Bytes: 1 << 20, Files: 1000})
	if err == nil || !strings.Contains(err.Error(), "more than 200000 folders") {
		t.Errorf("they are not bounded: %v", err)
	}
}

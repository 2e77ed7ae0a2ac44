package docs

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	pictureFolder = "images/browser"
	// mostPictures is how many bytes all of them may have: each clone carries them.
	mostPictures = 3_000_000
)

var takenFor = regexp.MustCompile(`\{\s*name: '([a-z-]+)',[^{}]*\bdocs: true`)

// TestPicturesOfTheBrowser: `make screenshots` takes each that is there, in both themes; each is on a page; and they stay small.
func TestPicturesOfTheBrowser(t *testing.T) {
	list, err := os.ReadFile("../web/e2e/pictures.mjs")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range takenFor.FindAllStringSubmatch(string(list), -1) {
		want = append(want, m[1]+"-dark.webp", m[1]+"-light.webp")
	}
	slices.Sort(want)
	files, err := os.ReadDir(pictureFolder)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(slices.Collect(maps.Values(pages(t))), "\n")
	var got []string
	var size int64
	for _, f := range files {
		got = append(got, f.Name())
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
		if !strings.Contains(all, pictureFolder+"/"+f.Name()+`"`) {
			t.Errorf("no page shows %s: put it where it helps, or take docs: true away in web/e2e/pictures.mjs", f.Name())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run `make screenshots`, and delete what is taken no more (-want +got):\n%s", diff)
	}
	if size > mostPictures {
		t.Errorf("the pictures have %d bytes together, more than %d", size, mostPictures)
	}
}

package kustomize

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestWhatTheLibrarySays is told shorter, by the names that people know.
func TestWhatTheLibrarySays(t *testing.T) {
	for name, tc := range map[string]struct{ reason, said, what, fix string }{
		"Twice":    {"an object that is listed twice", "accumulating resources: may not add resource with an already registered id: ConfigMap.v1.[noGrp]/a.[noNs]", "ConfigMap.v1.[noGrp]/a.[noNs] is listed twice", "namePrefix"},
		"Plugin":   {"a plugin that is a program", "unable to load external plugin 'MyGenerator' from x", "MyGenerator is a plugin that runs a program", "built in"},
		"Other":    {"all else as it is, in one line", "accumulating\n\tresources:  no such  thing", "cannot build the kustomization: accumulating resources: no such thing", "kustomize build app shows the same"},
		"Path":     {"paths of the disk that nobody has", "cannot read /" + mountName + "0/app/a.yaml: no such file", "cannot read app/a.yaml: no such file", ""},
		"Up":       {"also as seen from elsewhere", "'../../" + mountName + "0/base' is no folder", "'base' is no folder", ""},
		"Far":      {"those of other repositories by their address, without who asks", "cannot read /" + mountName + "1/x/a.yaml", "cannot read https://git.example/far//x/a.yaml", ""},
		"Unknown":  {"one that is none", "cannot read /" + mountName + "7/x", "cannot read x", ""},
		"Spelling": {"nor how paths are spelled for the library", "cannot read " + here + "größe.yaml", "cannot read größe.yaml", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(t.Context(), setup{}.source(t), flags{}, "app/kustomization.yaml", nil)
			d.mounts = append(d.mounts, &mount{tree: d.source.Tree, repo: "https://me:hunter2@git.example/far"})
			err := buildProblem(d, errors.New(tc.said))
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(p.What, tc.what) || !strings.Contains(p.Fix, tc.fix) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestLongFailuresEndWithALetter: what is told is text, wherever it is cut.
func TestLongFailuresEndWithALetter(t *testing.T) {
	d := newDisk(t.Context(), setup{}.source(t), flags{}, "app/kustomization.yaml", nil)
	for _, before := range []string{"", "x"} {
		if got := buildProblem(d, errors.New(before+strings.Repeat("é", maxText))).Error(); !utf8.ValidString(got) || len(got) > maxText+500 || !strings.Contains(got, "é…") {
			t.Errorf("%d bytes are told, of which the last are %q", len(got), got[len(got)-200:])
		}
	}
}

// TestWhatTheDiskSawComesFirst: the library only says that it could not read on.
func TestWhatTheDiskSawComesFirst(t *testing.T) {
	said := errors.New("accumulating resources")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := buildProblem(newDisk(ctx, setup{}.source(t), flags{}, "app/kustomization.yaml", nil), said); !errors.Is(err, context.Canceled) {
		t.Errorf("the render was over: %v", err)
	}
	d := newDisk(ctx, setup{}.source(t), flags{}, "app/kustomization.yaml", nil)
	d.problem = gitops.Problemf(gitops.Refused, "not permitted")
	if err := buildProblem(d, said); !gitops.IsProblem(err, gitops.Refused) {
		t.Errorf("it was refused: %v", err)
	}
}

// TestNearestNames gives an object the place of what it was made of: prefixes and
// suffixes are added to names, hashes to those that are generated.
func TestNearestNames(t *testing.T) {
	of := func(name, now string) *candidate {
		return &candidate{name: name, now: now, at: gitops.Origin{File: name + ">" + now}}
	}
	taken := of("a", "a")
	taken.taken = true
	for name, tc := range map[string]struct {
		reason, object string
		from           []*candidate
		want           string // nothing where none is near
	}{
		"Same":    {"the same name", "p-a", []*candidate{of("a", "a"), of("a", "p-a")}, "a>p-a"},
		"Hash":    {"a hash follows it", "p-a-7h8f", []*candidate{of("7h8f", "x"), of("a", "p-a")}, "a>p-a"},
		"Longer":  {"of two that begin it the longer one", "p-a-b-7h8f", []*candidate{of("a", "p-a"), of("a-b", "p-a-b")}, "a-b>p-a-b"},
		"Part":    {"what a transformer made of it", "new-a-name", []*candidate{of("b", "b"), of("a-n", "q-a-n")}, "a-n>q-a-n"},
		"Begins":  {"a name that begins so without a dash is a part, of which the longer one counts", "about", []*candidate{of("a", "a"), of("bout", "q-bout")}, "bout>q-bout"},
		"None":    {"nothing is near", "z", []*candidate{of("a", "a")}, ""},
		"Unnamed": {"what has no name is near nothing", "z", []*candidate{of("", "")}, ""},
		"Taken":   {"each is taken once while there are others", "a", []*candidate{taken, of("a", "a")}, "a>a"},
		"First":   {"of those that are as near it is the first", "x-a-x", []*candidate{of("a", "b"), of("a", "c")}, "a>b"},
	} {
		t.Run(name, func(t *testing.T) {
			got := best(tc.from, tc.object)
			if (got == nil) != (tc.want == "") || got != nil && (got.at.File != tc.want || got == taken) {
				t.Errorf("%s: got %+v", tc.reason, got)
			}
		})
	}
}

// TestKustomizationFilesOfASource: one of the names that Kustomize knows, and YAML
// with fields in any case.
func TestKustomizationFilesOfASource(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		files  treetest.Files
		file   string
		fails  string
		line   int
	}{
		"Yaml":    {"the usual one", treetest.Files{"app/kustomization.yaml": "nameprefix: a-\n", "app/Kustomization": "x"}, "app/kustomization.yaml", "", 0},
		"Yml":     {"a shorter one", treetest.Files{"app/kustomization.yml": "NamePrefix: a-\n"}, "app/kustomization.yml", "", 0},
		"Capital": {"one without an end", treetest.Files{"app/Kustomization": "namePrefix: a-\n"}, "app/Kustomization", "", 0},
		"None":    {"none", treetest.Files{"app/a.yaml": "x"}, "", "cannot find a kustomization file in app", 0},
		"Folder":  {"a folder of that name", treetest.Files{"app/kustomization.yaml/x": "x"}, "", "kustomization file", 0},
		"Broken":  {"no YAML", treetest.Files{"app/kustomization.yaml": "a: 1\nb: [\n"}, "", "cannot read kustomization file app/kustomization.yaml", 2},
		"List":    {"a list", treetest.Files{"app/kustomization.yaml": "- a\n"}, "", "it is no mapping", 1},
		"Text":    {"a text", treetest.Files{"app/kustomization.yaml": "a\n"}, "", "it is no mapping", 1},
	} {
		t.Run(name, func(t *testing.T) {
			file, k, err := load(setup{files: tc.files}.source(t))
			if tc.fails == "" && (err != nil || file != tc.file || k["namePrefix"] != "a-") {
				t.Errorf("%s: %s, %v, %v", tc.reason, file, k, err)
			}
			var p *gitops.Problem
			if tc.fails != "" && (!errors.As(err, &p) || !strings.Contains(err.Error(), tc.fails) || tc.line > 0 && p.Where.Line != tc.line) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

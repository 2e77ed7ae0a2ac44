package main

import (
	"slices"
	"testing"
)

func TestIsRaced(t *testing.T) {
	tests := map[string]struct {
		reason, pkg string
		want        bool
	}{
		"Engine":    {"the engine does much at once", "internal/app", true},
		"Locks":     {"a package with locks", "internal/cache", true},
		"Inside":    {"what is in a package that is left out is not", "internal/cli/live", true},
		"Machine":   {"what works on this machine has goroutines", "internal/local", true},
		"New":       {"what nobody has thought of yet", "internal/new/thing", true},
		"TestsToo":  {"what tests share is used by goroutines", "test/planted", true},
		"Memory":    {"what ends at bounds on memory does not fit", "internal/difference/jq", false},
		"Folder":    {"all below a folder are left out with it", "bench/soak", false},
		"FolderToo": {"and so is the folder", "bench", false},
		"Alike":     {"a name that begins alike is another one", "internal/clients", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := isRaced(tc.pkg); got != tc.want {
				t.Errorf("%s: got %v for %s", tc.reason, got, tc.pkg)
			}
		})
	}
}

// TestWhatIsNotRacedIsThere holds the list to what there is: a package of another name would be under the detector.
func TestWhatIsNotRacedIsThere(t *testing.T) {
	t.Chdir("../..")
	packages, err := packagesOf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range notUnderRace {
		if !slices.ContainsFunc(packages, l.has) {
			t.Errorf("there is no package %s, which is left out because it %s", l.packages, l.reason)
		}
	}
}

package checkout

import (
	"path/filepath"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/source"
)

// TestMirrorsOfAFleetFile: a file of the checkout gives folders of the checkout
// alone; what the person names, and what is the person's own file, counts.
func TestMirrorsOfAFleetFile(t *testing.T) {
	tests := map[string]struct {
		reason, folder string
		// clusters and repo are in the folder above both; the checkout's own when empty.
		clusters, repo string
		links          map[string]string
		flag, refused  bool
		taken, part    string
	}{
		"Folder":     {reason: "a folder of the checkout", folder: "charts", taken: "checkout/charts", part: "charts"},
		"Itself":     {reason: "the checkout", folder: ".", taken: "checkout", part: "."},
		"Link":       {reason: "a link that stays in it", folder: "link", links: map[string]string{"checkout/link": "charts"}, taken: "checkout/link", part: "link"},
		"Outside":    {reason: "a folder of the machine", folder: "../home", refused: true},
		"Root":       {reason: "all of the machine", folder: "../../../../../../../../..", refused: true},
		"LinkOut":    {reason: "a link to a folder of the machine", folder: "link", links: map[string]string{"checkout/link": "../home"}, refused: true},
		"BelowLink":  {reason: "a folder below such a link", folder: "link/kept", links: map[string]string{"checkout/link": "../home"}, refused: true},
		"Git":        {reason: "the checkout's own credentials", folder: ".git", refused: true},
		"GitAsFiles": {reason: "the same, as files", folder: ".git?worktree", refused: true},
		"GitByLink":  {reason: "the same, by a link", folder: "link?worktree", links: map[string]string{"checkout/link": ".git"}, refused: true},
		"State":      {reason: "the credentials of a local fleet", folder: ".causeway/f", refused: true},
		"Alias":      {reason: "all of it by another name", folder: "charts", clusters: "link/causeway.yaml", repo: "link", links: map[string]string{"link": "checkout"}, taken: "link/charts", part: "charts"},
		"AliasTop":   {reason: "all of it by another name", folder: ".", clusters: "link/causeway.yaml", repo: "link", links: map[string]string{"link": "checkout"}, taken: "link", part: "."},
		"Flag":       {reason: "the person says where it is", folder: "../home", flag: true, taken: "home"},
		"FlagFirst":  {reason: "the person's word is before the file's", folder: "charts", flag: true, taken: "home"},
		"Own":        {reason: "a file of the person's own", folder: "../home", clusters: "home/fleet.yaml", taken: "home"},
		"OwnIsLink":  {reason: "a link to the file of the checkout", folder: "../home", clusters: "home/link", links: map[string]string{"home/link": "../checkout/causeway.yaml"}, refused: true},
		"OtherName":  {reason: "the checkout by another name", folder: "../home", repo: "link", links: map[string]string{"link": "checkout"}, refused: true},
		"FileOut":    {reason: "a file of the checkout that is a link to one elsewhere", folder: "../home", clusters: "checkout/link", links: map[string]string{"checkout/link": "../home/fleet.yaml"}, refused: true},
		"Embedded":   {reason: "a repository that lies in the checkout as files", folder: "../home", repo: "checkout/bare", refused: true},
		"OwnToLink":  {reason: "the person's own file, and a link of the checkout", folder: "../checkout/link", clusters: "home/fleet.yaml", links: map[string]string{"checkout/link": "../home"}, refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := clitest.NewStranger(t)
			top := filepath.Dir(s.Dir)
			fleet := clitest.FleetOfOne + "  mirrors: {'https://m.example.com': '" + tc.folder + "'}\n"
			s.Write(s.Dir, map[string]string{"causeway.yaml": fleet, "bare/HEAD": "x", "bare/refs/x": "x", "bare/objects/x": "x", ".causeway/f/kubeconfig": "x"})
			s.Write(s.Home, map[string]string{"fleet.yaml": fleet})
			for name, to := range tc.links {
				s.Link(to, filepath.Join(top, name))
			}
			o := &Flags{Global: &command.Global{}, Repo: s.Dir, Clusters: filepath.Join(s.Dir, "causeway.yaml")}
			if tc.clusters != "" {
				o.Clusters = filepath.Join(top, tc.clusters)
			}
			if tc.repo != "" {
				o.Repo = filepath.Join(top, tc.repo)
			}
			cfg := &offline.Config{RepoURLs: map[string]string{}}
			if tc.flag {
				cfg.Mirrors = []source.Mirror{{URL: "https://m.example.com/", Path: s.Home}}
			}
			err := o.fleetFile(cfg)
			if tc.refused {
				if err == nil || len(cfg.Mirrors)+len(cfg.RepoURLs) > 0 {
					t.Errorf("%s: %v %v %v", tc.reason, cfg.Mirrors, cfg.RepoURLs, err)
				}
				return
			}
			if err != nil || len(cfg.Mirrors) != 1 || cfg.Mirrors[0].Path != filepath.Join(top, tc.taken) {
				t.Errorf("%s: %v %v", tc.reason, cfg.Mirrors, err)
			}
			if got := cfg.RepoURLs["https://m.example.com"]; got != tc.part {
				t.Errorf("%s: it is %q of the checkout", tc.reason, got)
			}
		})
	}
}

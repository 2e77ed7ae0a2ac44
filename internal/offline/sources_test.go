package offline

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/source/address"
)

// TestRevisionToCopy: a flag to copy has no revision in it that a shell would run.
func TestRevisionToCopy(t *testing.T) {
	for revision, want := range map[string]string{
		"v1.2": " v1.2", "release/1.2_x": " release/1.2_x",
		"": "", "x;reboot": "", "$(reboot)": "", "`reboot`": "", "--all": "", "a b": "", "a\nreboot": "", "~root": "",
	} {
		if got := argument(revision); got != want {
			t.Errorf("%q becomes %q, want %q", revision, got, want)
		}
	}
}

// TestSpellingsOfTheCheckout: however an address of the checkout is written, it is the
// checkout's, and where nobody can tell it may be.
func TestSpellingsOfTheCheckout(t *testing.T) {
	names := newRepoNames(map[string]string{"origin": "https://github.com/acme/fleet", "azure": "https://dev.azure.com/acme/My%20Fleet/_git/a%2541"}, map[string]string{"git@git.corp:~/team/apps.git": "apps", "git@corp:site": "site"})
	o := &Stages{names: names}
	s := &sideSources{offline: o, branches: moving([]string{"main"})}
	for text, want := range map[string]struct{ own, moves bool }{
		"https://github.com/acme/fleet":                       {true, true},
		"git@github.com:Acme/Fleet.git":                       {true, true},
		"alice@github.com:acme/fleet":                         {true, true},
		"https://github.com/acme/fl%65et":                     {true, true},
		"https://github.com:443/%41cme%2f/fleet.%47it/":       {true, true},
		"ssh://git@github.com/~git/acme/fleet":                {true, true},
		"https://dev.azure.com/acme/my%20%66leet/_git/a%2541": {true, true},
		"ssh://git@git.corp/team/apps":                        {true, true},
		"https://github.com/acme/fl%2565et":                   {false, true},
		"https://dev.azure.com/acme/My%20Fleet/_git/aA":       {false, true},
		`https://github.com/acme\fleet//base?ref=main`:        {false, true},
		"https://github.com/acme/x/../fleet//base":            {false, true},
		"git::https://github.com/acme/%66leet//a/../b":        {false, true},
		"https://github.com/x/%25252525252525252525252541":    {false, true},
		"https://github.com/acme/other//base?ref=main":        {false, false},
		"https://github.com/acme/fl%66et":                     {false, false},
		"https://charts.example.com":                          {false, false},
		"https://github.com/acme/fleet-docs":                  {false, false},
		"https://github.com/acme/fleet_2/base":                {false, false},
		"https://github.com/acme/fleets":                      {false, false},
		"https://github.com/my-acme/fleet":                    {false, false},
		"git::https://github.com/acme/fleet@main":             {false, true},
		"https://github.com/acme/fleet#base":                  {false, true},
		"https://github.com/acme/fleet-docs?from=acme/fleet":  {false, true},
		"https://github.com/acme/fleet.wiki":                  {false, true},
		"https://proxy.example.com/?of=acme/fleet&a=b":        {false, true},
		"https://github.com/acme/fleet%2Fbase":                {false, true},
		"https://site.example.com":                            {false, false},
		"oci://site/charts/web":                               {false, false},
		"https://corp/site":                                   {true, true},
		"https://site.example.com/site.git":                   {false, true},
		"ssh:/site":                                           {false, true},
	} {
		if _, own := names[address.Place(text)]; own != want.own {
			t.Errorf("%s: it is the checkout's: %t", text, own)
		}
		if got := s.moves(text, ""); got != want.moves {
			t.Errorf("%s: it moves: %t", text, got)
		}
		if s.moves(text, "v1") {
			t.Errorf("%s: it moves at a tag", text)
		}
	}
}

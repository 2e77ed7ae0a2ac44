package gitops

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDeciding(t *testing.T) {
	said := Cluster{Name: "prod", Server: "https://prod", Secret: "prod"}
	other := Cluster{Name: "prod", Server: "https://prod", Secret: "other"}
	found := Cluster{Name: "prod", Server: "https://prod", Secret: "found", Source: "vclusters"}
	bare := Cluster{Name: HubName, Server: HubServer}
	hub := Cluster{Name: HubName, Server: HubServer, Secret: "hub"}
	fake := Cluster{Name: HubName, Server: "https://elsewhere", Secret: "fake"}
	cases := map[string]struct {
		reason      string
		found, want []Cluster
	}{
		"Nothing":   {"nothing stays nothing", nil, nil},
		"One":       {"one counts, whoever made it", []Cluster{found}, []Cluster{found}},
		"Two":       {"of two that people wrote neither is the one", []Cluster{said, other}, []Cluster{said, other}},
		"Found":     {"what a source found takes nothing from anybody", []Cluster{found, said}, []Cluster{said}},
		"TwoFound":  {"two sources are as two people", []Cluster{found, found}, []Cluster{found, found}},
		"Three":     {"nor does it help to decide", []Cluster{found, said, other}, []Cluster{said, other}},
		"Hub":       {"the hub's Secret is about the hub", []Cluster{bare, hub}, []Cluster{hub}},
		"FakeHub":   {"one of another server is not", []Cluster{bare, fake}, []Cluster{bare, fake}},
		"FoundHub":  {"a source does not become the hub", []Cluster{bare, {Name: HubName, Server: HubServer, Secret: "found", Source: "x"}}, []Cluster{bare}},
		"FoundName": {"nor takes its name", []Cluster{bare, {Name: HubName, Server: "https://x", Secret: "found", Source: "x"}}, []Cluster{bare}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Deciding(tc.found, Described)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAmbiguous(t *testing.T) {
	two := []Cluster{{Secret: "a"}, {}}
	for field, want := range map[string]string{
		"server": `2 cluster Secrets have the server "x": a, (none); delete all cluster Secrets of this server but one`,
		"name":   `2 cluster Secrets have the name "x": a, (none); give each cluster Secret another data.name, or use destination.server`,
	} {
		if got := strings.ReplaceAll(AmbiguousAmong(field, "x", two).Error(), ": to repair", ";"); !strings.Contains(got, strings.Split(want, "; ")[0]) || !strings.Contains(got, strings.Split(want, "; ")[1]) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for field, other := range map[string]bool{"server": false, "name": true} {
		got := Ambiguous(field, "x").Error()
		if !strings.Contains(got, "several cluster Secrets have the "+field+` "x"`) || strings.Contains(got, "destination.server") != other || strings.Contains(got, "2 ") {
			t.Errorf("whose status it is in is told %q", got)
		}
	}
}

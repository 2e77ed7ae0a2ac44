package local

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// TestOnlyAProcessIsStopped: the numbers below two are those of the system, and of all
// processes that a person has.
func TestOnlyAProcessIsStopped(t *testing.T) {
	home := newHome(t)
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	for name, tc := range map[string]struct{ reason, text string }{
		"Empty":    {"it is just starting", ""},
		"Half":     {"or writing its number", "\n"},
		"Word":     {"what is no number", "me"},
		"All":      {"all processes of the person", "-1"},
		"Group":    {"the own group", "0"},
		"System":   {"the first process", "1"},
		"Several":  {"two are none", "12 13"},
		"TooLarge": {"a number that no process has", "99999999999999999999"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(home.Dir(), lockName), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if pid, err := home.pid(); pid != 0 || err == nil || !strings.Contains(err.Error(), "cannot tell which process runs fleet shop") {
				t.Errorf("%s: process %d, %v", tc.reason, pid, err)
			}
		})
	}
}

// TestConnectionsOfAFleet: who changes what is given to them changes nobody else's.
func TestConnectionsOfAFleet(t *testing.T) {
	r := &Running{Fleet: &Fleet{Clusters: []Cluster{{Name: "hub", Hub: true}, {Name: "dev"}}}, configs: map[string]*rest.Config{"hub": {Host: "https://127.0.0.1:1"}}}
	mine, err := r.HubConfig()
	if err != nil {
		t.Fatal(err)
	}
	mine.Host = "https://elsewhere"
	if again, err := r.Config("hub"); err != nil || again.Host != "https://127.0.0.1:1" {
		t.Errorf("the hub is at %v, %v", again, err)
	}
	for _, name := range []string{"dev", "none"} {
		if _, err := r.Config(name); err == nil || !strings.Contains(err.Error(), "cluster "+name+" is not running") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNothingIsRevivedAfterTheEnd: a spoke that ends with the fleet stays down, and
// nobody is told that it failed.
func TestNothingIsRevivedAfterTheEnd(t *testing.T) {
	life, end := context.WithCancel(t.Context())
	end()
	r := &Running{life: life}
	if cluster, tries, _ := r.revive(Cluster{Name: "dev"}, revivals, firstPause); cluster != nil || tries != 0 {
		t.Errorf("it has %v, and %d tries", cluster, tries)
	}
}

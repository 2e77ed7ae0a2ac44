package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// deep is a value with so many leaves below so many long keys: as a text it is small,
// and each leaf's dotted name has all of the keys.
func deep(keys, leaves int) (object map[string]any, text string) {
	const long = 500
	key := strings.Repeat("a", long)
	list := make([]any, leaves)
	for i := range list {
		list[i] = float64(0)
	}
	var value any = list
	for range keys {
		value = map[string]any{key: value}
	}
	object, _ = value.(map[string]any)
	return object, repeated(`{"`+key+`":`, keys) + "[" + strings.TrimSuffix(repeated("0,", leaves), ",") + "]" + repeated("}", keys)
}

// TestDeepParametersAreBounded wherever they are flattened: what their names would
// take, 2 GB, is never made.
func TestDeepParametersAreBounded(t *testing.T) {
	object, _ := deep(200, 20_000)
	r := newRun(t.Context(), New(nil, nil, nil), specSet(t, fast("generators: []")))
	for name, flat := range map[string]func() (Params, error){
		"file":     func() (Params, error) { return r.contentParams(object) },
		"plugin":   func() (Params, error) { return r.pluginParams(object, nil) },
		"input":    func() (Params, error) { return r.pluginParams(nil, object) },
		"decision": func() (Params, error) { return r.decisionParams("dev", "https://dev.example.com", object, nil) },
	} {
		var err error
		peak := peakOf(func() { _, err = flat() })
		if err == nil || !strings.Contains(err.Error(), "more than 192 MiB") || peak > 256<<20 {
			t.Errorf("%s: %d MiB were in use, and it ends with %v", name, peak>>20, err)
		}
		r.held.held = 0
	}
	small := map[string]any{"a": map[string]any{"b": []any{true, "x", nil}}, "c": map[string]string{"d": "y"}}
	p, err := r.contentParams(small)
	if err != nil || p["a.b.0"] != "true" || p["a.b.1"] != "x" || p["a.b.2"] != "<nil>" || p["c.d"] != "y" || len(p) != 4 || r.held.held != 0 {
		t.Errorf("got %v, %v, and %d bytes are held", map[string]any(p), err, r.held.held)
	}
}

// TestSelectorsOfDeepParameters look at the keys that they ask for alone.
func TestSelectorsOfDeepParameters(t *testing.T) {
	_, text := deep(200, 20_000)
	for operator, want := range map[string]int{"DoesNotExist": 1, "Exists": 0} {
		set := specSet(t, goMode("generators: [{git: {repoURL: '"+endless+"', revision: main, files: [{path: a.json}]}, selector: {matchExpressions: [{key: none, operator: "+operator+"}]}}]"))
		g := New(testFleet(), fakeRepos{endless: dirTree{fstest.MapFS{"a.json": {Data: []byte(text)}}}}, anyProject{})
		var out *Expansion
		var err error
		peak := peakOf(func() { out, err = g.Applications(context.Background(), set) })
		if err != nil || len(out.Applications)+len(out.Rejected) != want || peak > 256<<20 {
			t.Errorf("%s: %d MiB were in use, and it gives %d Applications, %v", operator, peak>>20, len(out.Applications), err)
		}
	}
}

// TestLeaves are by the names that flattening gives them.
func TestLeaves(t *testing.T) {
	p := Params{
		"a": map[string]any{"b.c": "1", "b": map[string]any{"d": []any{"2", map[string]any{"e": 3.0}}}, "": "4"},
		"f": map[string]string{"g.h": "5"}, "f.i": "6", "j": []any{}, "k": nil,
	}
	for key, want := range map[string]string{"a.b.c": "1", "a.b.d.0": "2", "a.b.d.1.e": "3", "a.": "4", "f.g.h": "5", "f.i": "6", "k": "<nil>"} {
		if text, has := p.leaf(key); !has || text != want {
			t.Errorf("%s: got %q, %t", key, text, has)
		}
	}
	for _, key := range []string{"", "a", "a.b", "a.b.d", "a.b.d.2", "a.b.d.-1", "a.b.d.00", "a.b.d.0.x", "f", "f.g", "j", "j.0", "k.x", "none"} {
		if text, has := p.leaf(key); has {
			t.Errorf("%s: got %q", key, text)
		}
	}
}

// TestLongNamesAreNotRemembered: what a set reads is kept for as long as it is there.
func TestLongNamesAreNotRemembered(t *testing.T) {
	long := strings.Repeat("x", 5000)
	set := specSet(t, replaced(fast("generators: [{list: {elements: [{app: a, p: '"+long+"'}, {app: b, p: Not_A_Name}, {app: c, p: there}]}}]"), "project: default", "project: '{{p}}'"))
	out, err := New(testFleet(), fakeRepos{}, anyProject{}).Applications(t.Context(), set)
	if err != nil || len(out.Applications) != 1 || len(out.Rejected) != 2 || !slices.Equal(out.Reads.Projects, []string{"there"}) {
		t.Errorf("it gives %d Applications, and reads %d projects: %v", len(out.Applications), len(out.Reads.Projects), err)
	}
	for field, address := range map[string]string{"repoURL": "repoURL: '{{p}}', revision: main", "targetRevision": "repoURL: '" + endless + "', revision: '{{p}}'"} {
		set := specSet(t, fast("generators: [{matrix: {generators: [{list: {elements: [{app: a, p: '"+long+"'}]}}, {git: {"+address+", directories: [{path: '*'}]}}]}}]"))
		out, err := New(testFleet(), fakeRepos{endless: treeOf("a/x")}, anyProject{}).Applications(t.Context(), set)
		if err == nil || !strings.Contains(err.Error(), field+" has 5000 characters") || len(err.Error()) > 1000 || len(out.Reads.Repos) > 0 {
			t.Errorf("it reads %d repositories: %v", len(out.Reads.Repos), err)
		}
	}
}

// TestLeftRoom is what changes need alone, while they are written.
func TestLeftRoom(t *testing.T) {
	room := NewRoom()
	out, err := New(fleetOf(500), fakeRepos{}, anyProject{}, WithRoom(room)).Applications(t.Context(), parseSet(t, addonGo))
	if err != nil {
		t.Fatal(err)
	}
	free := func() int64 {
		room.mu.Lock()
		defer room.mu.Unlock()
		return room.free
	}
	before := free()
	out.Leave(&Changes{Update: []v1alpha1.Application{out.Applications[0]}})
	if after := free(); after <= before || after == roomOfAll || out.Applications != nil {
		t.Errorf("%d bytes are free, of %d before", after, before)
	}
	out.Leave(&Changes{})
	if !room.isEmpty() {
		t.Error("who writes nothing has room")
	}
	out.Release()
	if !room.isEmpty() {
		t.Error("room is given back twice")
	}
	(&Expansion{}).Leave(&Changes{})
}

// TestLooksDoNotQueueWithoutEnd: people are told to come back.
func TestLooksDoNotQueueWithoutEnd(t *testing.T) {
	room := NewRoom()
	for i := range mostLooks {
		if room.isCrowded("account looks") {
			t.Fatalf("%d wait", i)
		}
		room.waiting = append(room.waiting, &turn{account: "account looks", bytes: roomOfAll})
	}
	set := parseSet(t, addonGo)
	look := New(fleetOf(500), fakeRepos{}, anyProject{}, WithRoom(room), WithAccount("looks"))
	if out, err := look.Applications(t.Context(), set); err == nil || !strings.Contains(err.Error(), "try again later") || out == nil {
		t.Errorf("got %v", err)
	}
	if room.isCrowded("account bridge") || room.isCrowded("project default") {
		t.Error("others are turned away, too")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(fleetOf(500), fakeRepos{}, anyProject{}, WithRoom(room)).Applications(ended, set); errors.Is(err, errCrowded) || err == nil {
		t.Error(fmt.Errorf("the set itself does not wait: %w", err))
	}
}

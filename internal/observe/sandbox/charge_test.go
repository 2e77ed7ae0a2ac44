package sandbox

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// used runs a program in an interpreter of its own, and tells the steps and bytes that it was charged.
func used(t *testing.T, source string, globals map[string]any) (steps, bytes int) {
	t.Helper()
	p := NewOpen(source)
	proto, err := p.compiled()
	if err != nil {
		t.Fatal(err)
	}
	s := newState(true)
	if _, err := s.run(proto, globals); err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return s.meter.steps, s.meter.bytes
}

// TestWhatIsMadeIsCharged: each thing that a script makes counts about what it takes, and what it only looks at does not.
func TestWhatIsMadeIsCharged(t *testing.T) {
	const text = 10_000
	given := map[string]any{"text": strings.Repeat("x", text), "obj": map[string]any{"a": "b", "list": []any{"a", "b"}}}
	for name, tc := range map[string]struct {
		reason, source string
		least, most    int
	}{
		"Nothing":     {"a result is none", `return 1`, 0, 0},
		"Look":        {"what is given may be looked at", `local n = 0 for k, v in pairs(obj) do n = n + 1 end return obj.list[1] .. n`, 2, 100},
		"Part":        {"a part of a text is as it is", `return #text`, 0, 0},
		"Join":        {"a join is a text", `local s = text .. text return 1`, 2 * text, 2*text + 100},
		"Chain":       {"a chain is one", `local s = text .. "a" .. text .. 1 return 1`, 2 * text, 2*text + 100},
		"Table":       {"a table takes much by itself", `local t = {} return 1`, tableBytes, tableBytes},
		"Fields":      {"and its fields besides", `local t = {a = 1, b = 2} return 1`, tableBytes + 2*fieldBytes, tableBytes + 2*fieldBytes},
		"Values":      {"also those that a call gives", `local function f() return 1, 2, 3 end local t = {f()} return 1`, tableBytes + fieldBytes + 3*itemBytes, 2 * (tableBytes + closureBytes)},
		"Store":       {"a store makes a field", `obj.x = "y" return 1`, fieldBytes, fieldBytes},
		"Number":      {"a number takes more than a text that is there", `obj.x = 1 return 1`, fieldBytes + numberBytes, fieldBytes + numberBytes},
		"Gap":         {"what lies before a far index is filled", `obj.list[1000] = "x" return 1`, 997 * gapBytes, fieldBytes + 1000*gapBytes},
		"Raw":         {"however it is stored", `rawset(obj, "x", "y") return 1`, fieldBytes, fieldBytes},
		"Insert":      {"or inserted", `table.insert(obj.list, "y") return 1`, fieldBytes, fieldBytes + gapBytes},
		"Function":    {"a function is one each time that it is made", `for i = 1, 10 do local f = function() return i end end return 1`, 10 * closureBytes, 10 * closureBytes},
		"Local":       {"also one that knows itself", `for i = 1, 10 do local function f() return f end end return 1`, 10 * closureBytes, 10 * closureBytes},
		"Method":      {"and a method", `function obj:f() return self end return 1`, closureBytes + fieldBytes, closureBytes + fieldBytes},
		"Repeat":      {"a text that is repeated", `local s = ("ab"):rep(1000) return 1`, 2000, 2000},
		"Upper":       {"one that is written another way", `local s = text:upper() return 1`, text, text},
		"Reverse":     {"or from its end", `local s = text:reverse() return 1`, text, text},
		"Replace":     {"or with something in place of something", `local s = text:gsub("x", "yz") return 1`, 2 * text, 2 * text},
		"Replacement": {"what a function gives for it was charged there", `local s = text:gsub("^x", function() return "y" end) return 1`, text + closureBytes, text + closureBytes},
		"Format":      {"a format may write as much as four bytes for one", `local s = string.format("%q", text) return 1`, 4 * text, 4*text + 2*directiveBytes},
		"Concat":      {"a list that is joined, with what stands between", `local s = table.concat({"ab", "cd"}, text) return 1`, text, tableBytes + 2*fieldBytes + 2*itemBytes + 2*text + 100},
		"Text":        {"a number as a text", `local s = tostring(12345) return 1`, 5, 5},
		"Caught":      {"an error that is caught has the whole stack", `pcall(error, "x") return 1`, errorBytes, errorBytes + 100},
		"No error":    {"and where there is none, none", `pcall(type, "x") return 1`, 0, 100},
		"Iterator":    {"what looks for one match after the other is a function", `for w in text:gmatch("y") do end return 1`, closureBytes, closureBytes + 100},
	} {
		t.Run(name, func(t *testing.T) {
			if _, bytes := used(t, tc.source, given); bytes < tc.least || bytes > tc.most {
				t.Errorf("%s: %d bytes, want %d to %d", tc.reason, bytes, tc.least, tc.most)
			}
		})
	}
}

// TestWorkIsCharged: what a library does with something long takes steps in proportion to that.
func TestWorkIsCharged(t *testing.T) {
	list := make([]any, 4096)
	for i := range list {
		list[i] = strconv.Itoa(len(list) - i)
	}
	given := map[string]any{"text": strings.Repeat("x", 64_000), "list": list}
	for name, tc := range map[string]struct {
		reason, source string
		least          int
	}{
		"Sort":    {"a list that is sorted", `table.sort(list) return 1`, 4096 * 13 / 4},
		"Insert":  {"one that something is inserted into", `for i = 1, 100 do table.insert(list, 1, "x") end return 1`, 100 * 4096 / 64},
		"Concat":  {"one that is joined", `local s = table.concat(list) return 1`, 4096 / 4},
		"Plain":   {"a text that is looked through", `return text:find("y", 1, true) == nil and 1`, 1000},
		"Pattern": {"each place of it", `return text:find("y") == nil and 1`, 64_000},
		"Most":    {"each letter that may repeat", `return #text:match("x*")`, 64_000 / 4},
		"Balance": {"brackets without an end", `return text:sub(1, 1000):gsub("%bxy", "") and 1`, 1000 * 500 / 4},
		"Replace": {"each replacement", `local s = text:gsub("x", "y") return 1`, 64_000},
		"Caught":  {"an error that is caught", `for i = 1, 10 do pcall(error, "x") end return 1`, 10 * lookAtClock},
	} {
		t.Run(name, func(t *testing.T) {
			if steps, _ := used(t, tc.source, given); steps < tc.least {
				t.Errorf("%s: %d steps, want %d at least", tc.reason, steps, tc.least)
			}
		})
	}
}

// TestSubjectsAreToldApart: what a program is not run for again is that object alone, and what bears it with it.
func TestSubjectsAreToldApart(t *testing.T) {
	object := func(kind, namespace, name, uid string, labels, annotations map[string]any) Subject {
		meta := map[string]any{"name": name, "namespace": namespace, "uid": uid, "labels": labels, "annotations": annotations}
		return Subject{Server: "s", Object: map[string]any{"kind": kind, "metadata": meta}}
	}
	other := func(s Subject) Subject { s.Server = "t"; return s }
	tracked := map[string]any{gitops.AnnotationTracking: "shop:apps/Deployment:/x"}
	labelled := map[string]any{gitops.LabelInstance: "shop"}
	one := object("Deployment", "ns", "a", "", nil, nil)
	for name, tc := range map[string]struct {
		reason       string
		a, b         Subject
		same, beside bool
	}{
		"Itself":      {"an object is itself", one, object("Deployment", "ns", "a", "", nil, nil), true, true},
		"Name":        {"another name is another one of the namespace", one, object("Deployment", "ns", "b", "", nil, nil), false, true},
		"Kind":        {"so is another kind", one, object("Pod", "ns", "a", "", nil, nil), false, true},
		"Namespace":   {"another namespace has nothing to do with it", one, object("Deployment", "other", "a", "", nil, nil), false, false},
		"Cluster":     {"nor has another cluster", one, other(one), false, false},
		"UID":         {"one that is made again is another one", object("Pod", "ns", "a", "1", nil, nil), object("Pod", "ns", "a", "2", nil, nil), false, true},
		"Renamed":     {"and one of a uid the same, whatever it is called", object("Pod", "ns", "a", "1", nil, nil), object("Pod", "ns", "b", "1", nil, nil), true, true},
		"Label":       {"without a namespace those of one application belong together", object("Role", "", "a", "", labelled, nil), object("Role", "", "b", "", nil, tracked), false, true},
		"Kinds":       {"of one kind", object("Role", "", "a", "", labelled, nil), object("Node", "", "a", "", labelled, nil), false, false},
		"Unowned":     {"and not with those of none", object("Role", "", "a", "", labelled, nil), object("Role", "", "b", "", nil, nil), false, false},
		"Boundaries":  {"names are not joined", object("Role", "", "ab", "", nil, nil), object("Rolea", "", "b", "", nil, nil), false, false},
		"Odd":         {"what is no object has no name", Subject{}, Subject{Object: map[string]any{"metadata": "x", "kind": 5}}, true, true},
		"Odd members": {"nor what has others in their places", Subject{Object: map[string]any{"metadata": map[string]any{"name": 1, "labels": "x", "annotations": []any{}}}}, Subject{}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			besideA, whyA := tc.a.beside("p")
			besideB, whyB := tc.b.beside("p")
			if same := tc.a.key("p") == tc.b.key("p"); same != tc.same || (besideA == besideB) != tc.beside || tc.beside && !errors.Is(whyA, whyB) {
				t.Errorf("%s: the same: %t, bear it together: %t", tc.reason, same, besideA == besideB)
			}
			if again, _ := tc.a.beside("q"); tc.a.key("p") == tc.a.key("q") || again == besideA {
				t.Errorf("%s: another program bears it, too", tc.reason)
			}
		})
	}
}

package sandbox

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestResults runs small scripts; the object is {n: 3, list: [a, null, c]}.
func TestResults(t *testing.T) {
	cases := map[string]struct {
		reason, source string
		want           any
	}{
		"Nothing":       {"no result", `local x = 1`, nil},
		"Last":          {"the last of several counts", `return 1, "two"`, "two"},
		"Table":         {"a map", `return {a = {b = true}}`, map[string]any{"a": map[string]any{"b": true}}},
		"List":          {"a list", `return {1, "x"}`, []any{1.0, "x"}},
		"Empty":         {"an empty table is a list", `return {}`, []any{}},
		"Concat":        {"numbers join texts", `return obj.n .. "/" .. #obj.list`, "3/2"},
		"ConcatMeta":    {"metamethods join, too", `local m = setmetatable({}, {__concat = function(a, b) return "joined" end}) return "a" .. m`, "joined"},
		"Assign":        {"several targets at a time", `local t = {} t.a, t.b, c = 1, 2, 3 return {t.a, t.b, c}`, []any{1.0, 2.0, 3.0}},
		"Swap":          {"all is evaluated before it is stored", `local t = {1, 2} t[1], t[2] = t[2], t[1] return t`, []any{2.0, 1.0}},
		"NewIndex":      {"stores ask metatables", `local log = {} local t = setmetatable({}, {__newindex = function(_, k, v) rawset(log, k, v) end}) t.a = 1 return log`, map[string]any{"a": 1.0}},
		"Method":        {"a method has its self", `local t = {n = 2} function t:double() return self.n * 2 end return t:double()`, 4.0},
		"Recursion":     {"a local function calls itself", `local function f(n) if n == 0 then return "end" end return f(n - 1) end return f(50)`, "end"},
		"Multiple":      {"calls with several values fill a list", `local function f() return 1, 2, 3 end return {f()}`, []any{1.0, 2.0, 3.0}},
		"First":         {"in a join only the first counts", `local function f() return "a", "b" end return "x" .. f()`, "xa"},
		"Vararg":        {"values without names", `local function f(...) return select("#", ...), {...} end local n, t = f(1, 2) return {n, #t}`, []any{2.0, 2.0}},
		"Pcall":         {"errors can be caught", `local ok, e = pcall(error, "no", 0) return {tostring(ok), e}`, []any{"false", "no"}},
		"Globals":       {"a script has its own globals", `x = (x or 0) + 1 return x`, 1.0},
		"Require":       {"libraries that are there", `return type(require("os").date)`, "function"},
		"Find":          {"a search with captures", `return {("a-12"):find("(%a)-(%d+)")}`, []any{1.0, 4.0, "a", "12"}},
		"FindPlain":     {"a search without a pattern", `return {("a.b"):find(".", 1, true)}`, []any{2.0, 2.0}},
		"Match":         {"the whole match", `return ("key = value"):match("^%w+")`, "key"},
		"MatchNothing":  {"no match", `return tostring(("abc"):match("%d"))`, "nil"},
		"Optional":      {"a repetition that may be absent", `return ("color colour"):gsub("colou?r", "x")`, 2.0},
		"Balance":       {"brackets", `return ("f(a(b)c)d"):match("%b()")`, "(a(b)c)"},
		"Frontier":      {"the beginning of a word", `return ("THE (quick) fox"):find("%f[%a]%a+%f[%A]")`, 3.0},
		"BackReference": {"what was captured before", `return ([["a" 'b']]):match([[(["'])b%1]])`, "'"},
		"Position":      {"an empty capture is a place", `return ("abc"):match("b()")`, 3.0},
		"Gmatch":        {"all matches", `local t = {} for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do t[k] = v end return t`, map[string]any{"a": "1", "b": "2"}},
		"Gsub":          {"a table replaces", `return (("$a $b"):gsub("%$(%w+)", {a = "x"}))`, "x $b"},
		"GsubFunction":  {"a function replaces", `return (("abc"):gsub("%w", function(c) if c == "b" then return "B" end end))`, "aBc"},
		"GsubEmpty":     {"an empty match is between letters", `return (("abc"):gsub("", "-"))`, "-a-b-c-"},
		"Set":           {"a set with a range and a bracket", `return ("x]y"):match("[%]a-c]")`, "]"},
		"Format":        {"a format", `return string.format("%s: %d/%03d %5.1f%%", "n", 3, 7, 1.25)`, "n: 3/007   1.2%"},
		"Sort":          {"a sorted list", `local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return table.concat(t, ",")`, "3,2,1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{"n": int64(3), "list": []any{"a", nil, "c"}}
			got, err := NewOpen(tc.source).Run(map[string]any{"obj": object})
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOutOfReach looks for what would lead out of the sandbox.
func TestOutOfReach(t *testing.T) {
	for _, name := range []string{
		"io", "debug", "package", "coroutine", "channel", "load", "loadstring", "loadfile", "dofile", "module", "newproxy", "getfenv", "setfenv", "_printregs",
		"os.execute", "os.getenv", "os.exit", "os.remove", "os.rename", "os.setenv", "os.tmpname", "os.setlocale", "string.dump",
	} {
		got, err := NewOpen("return tostring(" + name + ")").Run(nil)
		if err != nil || got != "nil" {
			t.Errorf("%s is %v, %v; want nil", name, got, err)
		}
	}
	if _, err := New(`return require("io")`).Run(nil); err == nil {
		t.Error("require gives io")
	}
	for _, name := range []string{"string", "math"} {
		if got, err := New("return tostring(" + name + ")").Run(nil); err != nil || got != "nil" {
			t.Errorf("%s is %v, %v without the open libraries; want nil", name, got, err)
		}
	}
}

// TestRunsKnowNothingOfEachOther changes libraries, metatables and globals.
func TestRunsKnowNothingOfEachOther(t *testing.T) {
	spoil := NewOpen(`
		table.insert, string.rep, leak = nil, nil, true
		getmetatable("").__index = function() return "spoilt" end
		_G.tostring = nil
		rawset(os, "date", 1)
		return {}`)
	for range 20 {
		if _, err := spoil.Run(nil); err != nil {
			t.Fatal(err)
		}
		got, err := NewOpen(`return type(table.insert) .. type(string.rep) .. tostring(leak) .. ("x"):upper() .. type(os.date)`).Run(nil)
		if want := "functionfunctionnilXfunction"; err != nil || got != want {
			t.Fatalf("got %v, %v; want %s", got, err, want)
		}
	}
}

func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		"return {status = \"Healthy\"}", "hs = {} hs.a, hs.b = 1, 2 return hs", "for i, c in ipairs(obj.list) do print(i) end",
		"return ('a'):gsub('(a)', '%1%1')", "goto x ::x:: return obj.n .. ''", "local t = {} t[1e7] = 1 return #t",
		"return string.format('%5.2f', 1)", "function f(...) return ... end return f(1, {f()})",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got, err := NewOpen(source).Run(map[string]any{"obj": map[string]any{"n": int64(1), "list": []any{"a"}}})
		if err != nil {
			return
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("the result is no JSON: %v", err)
		}
	})
}

// FuzzValues takes values into the interpreter and back.
func FuzzValues(f *testing.F) {
	f.Add(`{"a": [1, 2.5, "x", true, {"b": []}]}`)
	f.Add(`[[[[]]]]`)
	identity := New("return obj")
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil || strings.Contains(text, "null") || strings.Contains(text, "{}") {
			return
		}
		got, err := identity.Run(map[string]any{"obj": value})
		if err != nil {
			return
		}
		if diff := cmp.Diff(value, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func FuzzPattern(f *testing.F) {
	f.Add("key = value", "^(%w+)%s*=%s*(%w+)$")
	f.Add("[[x]]", "%b[]")
	f.Add("THE (quick) fox", "%f[%a]%a+()")
	p := NewOpen(`return {obj.t:find(obj.p), obj.t:match(obj.p), (obj.t:gsub(obj.p, "%0"))}`)
	f.Fuzz(func(_ *testing.T, text, pattern string) {
		_, _ = p.Run(map[string]any{"obj": map[string]any{"t": text, "p": pattern}})
	})
}

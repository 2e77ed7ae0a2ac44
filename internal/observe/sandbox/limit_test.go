package sandbox

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// withoutEnd are scripts that loop, recurse or allocate without end.
func withoutEnd() map[string]struct{ reason, source string } {
	return map[string]struct{ reason, source string }{
		"Loop":        {"an empty loop", `while true do end`},
		"Goto":        {"a loop without a loop", `::again:: goto again`},
		"Rep":         {"texts that are kept", `local t = {} while true do t[#t+1] = string.rep("x", 1e6) end`},
		"RepOnce":     {"one text that is too long", `return string.rep("x", 1e10)`},
		"RepMethod":   {"the same, as a method", `return ("xx"):rep(2^40)`},
		"Doubling":    {"a text that doubles", `local s = "x" while true do s = s .. s end`},
		"Chain":       {"a chain of joins", `local s = "xxxxxxxxxxxxxxxx" while true do s = s .. s .. s .. s .. s end`},
		"Tables":      {"tables that are kept", `local t = {} while true do t[#t+1] = {} end`},
		"Fields":      {"fields by text", `local t, i = {}, 0 while true do i = i + 1 t["k" .. i] = i end`},
		"Nested":      {"tables in tables", `local t = {} while true do t = {next = t} end`},
		"Gap":         {"an index far away", `local t = {} for i = 1, 1e6 do t[i] = {} t[i][60000000] = 1 end`},
		"RawGap":      {"the same, raw", `for i = 1, 1e6 do rawset({}, 60000000, 1) end`},
		"InsertGap":   {"the same, inserted", `local all = {} for i = 1, 1e6 do all[i] = {} table.insert(all[i], 60000000, 1) end`},
		"Multiple":    {"several stores at a time", `local t, u = {}, {} while true do t[#t+1], u[#u+1] = {}, {} end`},
		"Closures":    {"functions that keep one another", `local f = nil while true do local g = f f = function() return g end end`},
		"LocalFuncs":  {"the same with a name", `local keep = nil while true do local before = keep local function f() return before end keep = f end`},
		"Methods":     {"functions in tables", `local t = {} while true do local u = {} function u:f() return self end t[#t+1] = u end`},
		"Concat":      {"one text many times", `local s, t = string.rep("x", 1e6), {} for i = 1, 1e5 do t[i] = s end return table.concat(t)`},
		"Format":      {"a wide format", `return string.format("%999999999d", 1)`},
		"FormatMany":  {"a text in a format many times", `local s = string.rep("x", 1e6) while true do s = string.format("%s%s%s", s, s, s) end`},
		"Gsub":        {"a replacement that grows", `local s = string.rep("x", 1e4) while true do s = s:gsub("x", "%0%0%0%0%0%0%0%0") end`},
		"Upper":       {"copies", `local s, t = string.rep("x", 1e6), {} while true do t[#t+1] = s:upper() end`},
		"Pattern":     {"a pattern with very many ways", `return string.rep("a", 4000):find(("a*"):rep(30) .. "b")`},
		"PatternLess": {"the same with the other repetition", `return string.rep("a", 4000):match((".-"):rep(20) .. "b")`},
		"Recursion":   {"a call of itself", `local function f() return 1 + f() end return f()`},
		"Tail":        {"a tail call of itself", `local function f() return f() end return f()`},
		"Pcall":       {"a loop that catches its end", `while true do pcall(function() while true do end end) end`},
		"PcallDeep":   {"a recursion that catches its end", `local function f() pcall(f) return f() end return f()`},
		"ErrorText":   {"long errors that are kept", `local s, t = string.rep("x", 1e6), {} while true do local _, e = pcall(error, s) t[#t+1] = e end`},
		"IndexText":   {"long texts in messages", `local s, t = string.rep("x", 1e6), {} while true do local _, e = pcall(function() local n = nil return n[s] end) t[#t+1] = e end`},
		"Unpack":      {"more values than the stack has", `return unpack({}, 1, 1e9)`},
		"Sort":        {"sorting again and again", `local t = {} for i = 1, 1e4 do t[i] = i end while true do table.sort(t) end`},
		"SortCall":    {"a comparison that never agrees", `local t = {} for i = 1, 1e4 do t[i] = i end while true do table.sort(t, function() return true end) end`},
		"Index":       {"a metatable that asks itself", `local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x`},
		"IndexCall":   {"a metamethod that calls itself", `local t = {} setmetatable(t, {__index = function(t, k) return t[k .. "x"] end}) return t.x`},
		"Gmatch":      {"an iterator that is kept", `local t = {} while true do t[#t+1] = ("a"):gmatch("a") end`},
	}
}

// ends are those of withoutEnd that have another end than the bounds of a script.
func ends() map[string]string {
	return map[string]string{
		"Index": "too many recursions", "IndexCall": "overflow", "Recursion": "overflow", "Unpack": "overflow",
		"Format": "a directive that is not known", "PcallDeep": "nested too deep",
	}
}

// TestScriptsWithoutEnd: each ends with an error, which is short.
func TestScriptsWithoutEnd(t *testing.T) {
	for name, tc := range withoutEnd() {
		t.Run(name, func(t *testing.T) {
			_, err := NewOpen(tc.source).Run(map[string]any{"obj": map[string]any{}})
			other := ends()[name]
			if errors.Is(err, ErrLimit) == (other != "") || err == nil || !strings.Contains(err.Error(), other) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if len(err.Error()) > 2*maxMessage {
				t.Errorf("%s: the error has %d bytes", tc.reason, len(err.Error()))
			}
		})
	}
}

// TestMemoryOfScriptsWithoutEnd: they end before they have taken much of it.
func TestMemoryOfScriptsWithoutEnd(t *testing.T) {
	const most = 12 * maxBytes // all that was ever allocated, with what was collected since
	for name, tc := range withoutEnd() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := NewOpen(tc.source).Run(map[string]any{"obj": map[string]any{}})
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("%s: it allocated %d MiB: %v", tc.reason, took>>20, err)
			}
		})
	}
}

func TestLongSources(t *testing.T) {
	cases := map[string]string{
		"Tables":    "return " + strings.Repeat("{", 50_000) + strings.Repeat("}", 50_000),
		"Unary":     "return " + strings.Repeat("- ", 50_000) + "1",
		"Not":       "return " + strings.Repeat("not ", 50_000) + "1",
		"Blocks":    strings.Repeat("do ", 50_000) + strings.Repeat("end ", 50_000),
		"Functions": strings.Repeat("local f = function() ", 10_000) + strings.Repeat("end ", 10_000),
		"Locals":    strings.Repeat("local a\n", 1000),
		"Long":      strings.Repeat(" ", maxSource+1),
		"Sum":       "return " + strings.Repeat("1+", 50_000) + "1",
	}
	for name, source := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := New(source).Run(nil); err == nil {
				t.Error("there is no error")
			}
		})
	}
	// A chain of joins is long, not deep.
	if _, err := New("return " + strings.Repeat(`"a"..`, 200) + `"a"`).Run(nil); err != nil {
		t.Error(err)
	}
}

package sandbox

import (
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// plain runs a script in the interpreter as it is, which is what Argo CD runs scripts in.
func plain(source string) (result string, err error) {
	l := lua.NewState()
	defer l.Close()
	if err := l.DoString(source); err != nil {
		return "", err
	}
	return l.Get(-1).String(), nil
}

// TestScriptsAgreeWithTheInterpreter: a script is rewritten, and has libraries of our own, so that what it takes is
// counted. Nothing else about it may change, as scripts were written for Argo CD.
func TestScriptsAgreeWithTheInterpreter(t *testing.T) {
	for name, tc := range agreeing() {
		t.Run(name, func(t *testing.T) {
			for _, source := range tc.sources {
				want, err := plain(source)
				if err != nil {
					t.Fatalf("%s: the interpreter has no answer to %s: %v", tc.reason, source, err)
				}
				if got, err := NewOpen(source).Run(nil); err != nil || fmt.Sprint(got) != want {
					t.Errorf("%s: got %v, %v; want %s for %s", tc.reason, got, err, want, source)
				}
			}
		})
	}
}

// agreeing are scripts that return a text.
func agreeing() map[string]struct {
	reason  string
	sources []string
} {
	return map[string]struct {
		reason  string
		sources []string
	}{
		"Patterns": {"patterns are those of the manual", []string{
			`local out = "" for w in ("aab"):gmatch("^a") do out = out .. w .. ";" end return out`,
			`return (("aaa"):gsub("a", "b", 2))`,
			`local a, n = ("aaa"):gsub("^a", "b") return a .. n`,
			`return (("abc"):gsub("b*", "-"))`,
			`return (("hello world"):gsub("(%w+) (%w+)", "%2 %1"))`,
			`return (("a"):gsub("a", "%%1"))`,
			`return (("abc"):gsub("%w", {a = false, b = "x"}))`,
			`return (("abc"):gsub("%w", function(c) return 1 end))`,
			`return (("abc"):gsub("$", "x"))`,
			`return tostring(("abcabc"):find("b", 3))`,
			`return tostring(("abcabc"):find("b", -2))`,
			`return tostring(("abcabc"):find("b", -100))`,
			`return tostring(("abab"):find("^ab", 3))`,
			`return tostring(("a-b"):match("[a%-]+"))`,
			`return tostring(("a-b"):match("[a-]+"))`,
			`return tostring(("a-b"):match("[-a]+"))`,
			`return tostring(("abc123"):match("[^%a]+"))`,
			`return tostring(("a]b"):match("[]]"))`,
			`return tostring(("a]b"):match("[^]]+"))`,
			`return tostring(("a^b"):match("[a^]+"))`,
			`return tostring(("<a><b>"):match("<(.-)>"))`,
			`local a, b = ("abc"):match("()b()") return a .. ":" .. b`,
			`return tostring(("abab"):match("(ab)%1"))`,
			`return tostring(("((a)"):match("%b()"))`,
			`return tostring(("abc"):match("ab?b?c"))`,
			`return tostring(("a?c"):match("a%?c"))`,
			`return tostring(("*a"):match("*a"))`,
			`return tostring(("a$b"):match("a$b"))`,
			`return tostring(("xyzFfgg"):match("%x+"))`,
			`return tostring(("ab.,c"):match("%p+"))`,
			`return tostring(#("ab\n\tc"):match("%c+"))`,
			`return tostring(("abCDe"):match("%u+"))`,
			`return tostring(("  ab c"):match("%S+"))`,
			`return tostring(("é"):match("."))`,
			`return tostring(("a\0b"):match("%z") == "\0")`,
			`return tostring(("abc"):match("^b", 2))`,
			`local a,b = ("key=val"):match("((%w+)=)") return a..b`,
			`local n = 0 for _ in ("abc"):gmatch("") do n = n + 1 end return tostring(n)`,
			`local out = "" for p in ("abab"):gmatch("()b") do out = out .. p end return out`,
		}},
		"Texts": {"so is the library of texts", []string{
			`return string.format("%q", 'a"b\n')`,
			`return string.format("%5s|%-5s|%.2s", "a", "b", "cde")`,
			`return string.format("%i", 3)`,
			`return string.format("%x %X %#x", 255, 255, 255)`,
			`return string.format("%c", 65)`,
			`return string.format("%g", 1e20)`,
			`return string.format("100%%")`,
			`return string.format("%s", true)`,
			`return string.format("%s", nil)`,
			`return string.format("%s %s", "a")`,
			`return ("ab"):rep(3) .. ("ab"):rep(0) .. ("x"):rep(-1)`,
			`return ("hello"):sub(2, -2) .. ("hello"):sub(-3) .. ("x"):sub(5)`,
			`return tostring(("a"):byte())`,
			`return string.char(72, 105)`,
			`return tostring(#"é")`,
			`return ("abc"):reverse()`,
			`return ("ÄBC"):lower()`,
			`local i = 0 repeat local done = i >= 3 i = i + 1 until done return tostring(i)`,
			`return tostring(#{1, 2, 3, nil, 5})`,
			`return tostring(#setmetatable({}, {__len = function() return 5 end}))`,
		}},
		"Joins": {"joins and stores are calls that stand for operators", []string{
			`return table.concat({1, 2, "c"}, ", ")`,
			`return table.concat({1, 2, 3}, ",", 2, 3)`,
			`return 1 .. 2 .. "x" .. 1.5`,
			`local m = setmetatable({}, {__concat = function(a, b) return (type(a) == "table" and "M" or a) .. (type(b) == "table" and "M" or b) end}) return "a" .. m .. "b" .. m`,
			`local a, b, c = (function() return 1, 2, 3 end)() return a .. b .. c`,
			`local t = {} t.a, t.b = (function() return 1, 2 end)() return t.a .. t.b`,
			`local t = {} t.a, t.b = 1 return tostring(t.b)`,
			`local t = {} t.a, x = 1, 2, 3 return t.a .. x`,
			`local i, t = 1, {} i, t[i] = i + 1, 20 return tostring(t[1]) .. tostring(t[2])`,
			`local t = {a = {}} function t.a.f(x) return x end function t.a:g(x) return self == t.a and x end return t.a.f("f") .. t.a:g("g")`,
			`local function f(...) local t = {...} return #t .. select("#", ...) end return f(1, nil, 3)`,
			`local function f(...) return "a" .. ... end return f("b", "c")`,
			`local function f() return 1, 2 end return tostring(#{f(), f()})`,
			`local t = {[1] = "a", "b", x = "c", ["y z"] = "d"} return t[1] .. t.x .. t["y z"]`,
			`local t = setmetatable({}, {__newindex = error}) rawset(t, "a", 1) return tostring(t.a)`,
			`local t = setmetatable({}, {__index = {a = "up"}}) return t.a`,
		}},
		"Lists": {"lists are charged for, and otherwise as before", []string{
			`local t = {1, 3} table.insert(t, 2, 2) table.insert(t, 4) return table.concat(t, ",")`,
			`local t = {1, 2, 3} table.remove(t, 1) return table.concat(t, ",")`,
			`return tostring(table.remove({}))`,
			`local t = {"b", "a", "C"} table.sort(t) return table.concat(t, ",")`,
			`return select(2, "a", "b", "c")`,
			`return select(-1, "a", "b")`,
			`local a, b = unpack({1, 2}) return tostring(a + b)`,
			`return tostring(next({}))`,
			`local n = 0 for _, v in ipairs({1, 2, nil, 4}) do n = n + v end return tostring(n)`,
			`local n = 0 for _, v in pairs({a = 1, b = 2, 3}) do n = n + v end return tostring(n)`,
			`return tostring(table.maxn({1, 2, [10] = 3}))`,
			`return tostring(table.getn({1, 2}))`,
		}},
		"Errors": {"errors are caught where they are", []string{
			`local ok, e = xpcall(function() error("x", 0) end, function(m) return "handled " .. m end) return tostring(ok) .. e`,
			`local ok, a, b = pcall(function() return 1, 2 end) return tostring(ok) .. a .. b`,
		}},
		"Language": {"the rest of the language is not touched", []string{
			`return tostring(1) .. tostring(1.5) .. tostring(nil) .. tostring(true) .. tostring(1e15) .. tostring(-0.1)`,
			`return tostring(setmetatable({}, {__tostring = function() return "meta" end}))`,
			`return tostring(tonumber("0x10")) .. tostring(tonumber("z", 36)) .. tostring(tonumber("abc")) .. tostring(tonumber(" 12 "))`,
			`for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end end ::continue:: end return "done"`,
			`local i = 0 while true do i = i + 1 if i > 5 then break end end return tostring(i)`,
			`local out = "" for i = 10, 1, -3 do out = out .. i end return out`,
			`local function f() return 1, 2 end return tostring(#{(f())})`,
			`local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end return tostring(fact(10))`,
			`local function counter() local n = 0 return function() n = n + 1 return n end end local c = counter() c() return tostring(c())`,
			`local x = 1 do local x = 2 end return tostring(x)`,
			`x = 1 return tostring(_G.x) .. tostring(rawget(_G, "x"))`,
			`return tostring(rawequal({}, {}))`,
			`local t = setmetatable({}, {__call = function(self, x) return x end}) return t("called")`,
			`local m = {__eq = function() return true end} return tostring(setmetatable({}, m) == setmetatable({}, m))`,
			`local m = {__lt = function() return true end} return tostring(setmetatable({}, m) < setmetatable({}, m))`,
			`return tostring(-setmetatable({}, {__unm = function() return 5 end}))`,
			`return tostring(-5 % 3) .. tostring(5.5 % 2)`,
			`return tostring(2 ^ 10)`,
			`return tostring(1 / 2) .. tostring(7 / 0)`,
			`return tostring("10" + 5) .. tostring("0x10" * 1)`,
			`return os.date("!%Y-%m-%dT%H:%M:%SZ", 0)`,
			`return tostring(os.time({year = 2026, month = 1, day = 1, hour = 12}))`,
			`return tostring(os.date("!*t", 86400).day)`,
			`return tostring(os.difftime(5, 3))`,
			`return tostring(math.max(1, 5, 3)) .. math.floor(2.7) .. tostring(math.huge)`,
			"return [==[\na]]b]==]",
			`return "\65\n\t\\\""`,
			`return tostring(nil and 1) .. tostring(false or "x") .. tostring(1 and 2)`,
			`return tostring(require("table") == table)`,
			`return type(print) .. type(nil) .. type({}) .. type("x") .. type(2)`,
			`return tostring(getmetatable("").__index == string)`,
			`local a = 1; ; return tostring(a)`,
			"--[[ long\ncomment ]] return 'x' -- end",
			`return tostring(getmetatable(setmetatable({}, {__metatable = "locked"})))`,
		}},
	}
}

// TestMistakesAgreeWithTheInterpreter: what is wrong with a script is told in the words that people find when they
// look for them, and with the line alone.
func TestMistakesAgreeWithTheInterpreter(t *testing.T) {
	for _, source := range []string{
		`undefined()`,
		`for i = 1, "x" do end`,
		`local t = 1 t.a = 1`,
		`setmetatable(setmetatable({}, {__metatable = 1}), {})`,
		`error("boom")`,
		`return (5):foo()`,
		`local t = nil t.a = 1`,
		`error("boom", 0)`,
		`return "a" + 1`,
		`assert(nil)`,
		`local t = {} t.x.y()`,
		`local t = {1, "a"} table.sort(t) return "x"`,
		`assert(false, "asserted")`,
		`table.foreach({1}, print)`,
		`return table.concat({1, {}, 3}, ",")`,
		`local t = {} t[nil] = 1`,
		`table.insert({1})`,
		`local t = nil return t.a.b`,
		`return tostring(1 < "2")`,
	} {
		_, wrong := plain(source)
		if wrong == nil {
			t.Fatalf("the interpreter takes %s", source)
		}
		want, _, _ := strings.Cut(wrong.Error(), "\n")
		want = strings.Replace(want, "<string>:", "line:", 1)
		if got, err := NewOpen(source).Run(nil); err == nil || err.Error() != want {
			t.Errorf("got %v, %v; want %s for %s", got, err, want, source)
		}
	}
}

// TestScriptsAgreeWithTheManual where the interpreter does not: it panics, refuses or answers otherwise.
func TestScriptsAgreeWithTheManual(t *testing.T) {
	cases := map[string]struct {
		reason, source string
		want           any
	}{
		"FindAtEnd":    {"an empty text is found behind the last letter", `return ("abc"):find("", 4)`, 4.0},
		"FindBehind":   {"a search that begins behind the end begins at it", `return {("abc"):find("", 10)}`, []any{4.0, 3.0}},
		"PlainBehind":  {"also one without a pattern", `return ("abc"):find("c", 10, true) == nil`, true},
		"GsubNone":     {"no replacement at all", `return {("aaa"):gsub("a", "b", 0)}`, []any{"aaa", 0.0}},
		"GsubNegative": {"less than none is none", `return {("aaa"):gsub("a", "b", -1)}`, []any{"aaa", 0.0}},
		"GsubNumber":   {"a number replaces as its text does", `return (("aa"):gsub("a", 1))`, "11"},
		"Evaluated":    {"all values are evaluated before the first is assigned", `local a, t = 1, {} a, t.x = 2, a return {a, t.x}`, []any{2.0, 1.0}},
		"Frontier":     {"a frontier of letters in a word", `return ("hello"):match("%f[l]l+")`, "ll"},
		"FrontierEnd":  {"and at the end", `return ("the end"):find("%f[%A]", 5)`, 8.0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			source := tc.source
			if f, ok := tc.want.(float64); ok {
				source, tc.want = "local found = {"+strings.TrimPrefix(source, "return ")+"} return found[1]", f
			}
			got, err := NewOpen(source).Run(nil)
			if fmt.Sprint(got) != fmt.Sprint(tc.want) || err != nil {
				t.Errorf("%s: got %v, %v; want %v", tc.reason, got, err, tc.want)
			}
		})
	}
}

package sandbox

import (
	"fmt"
	"testing"
)

// TestPatternsAtTheirEdgesAgreeWithTheInterpreter: what is empty, what is at an end, and what begins like
// something else is matched as by the interpreter that Argo CD runs scripts in.
func TestPatternsAtTheirEdgesAgreeWithTheInterpreter(t *testing.T) {
	texts := []string{"ab", "aab", "abc abc", "a.b", "[x]", "(a(b)c)", "k=v, w=x", "\n\t ", "é", "A1_b2", "aXbXc", "%d", "-1.5e3"}
	patterns := []string{
		"a", "a*", "a+", "a-", "a?", "a-b", "a*b", "a-$", "^a", "^a*$", "^$", "$", ".", ".*", ".-", ".+b", "a.c", "%a", "%a+", "%A+", "%d", "%d*", "%s+", "%S+", "%w+", "%W", "%l+", "%u",
		"%p", "%.", "%%", "%-", "%[", "%]", "%(", "%)", "[abc]", "[^abc]", "[a-c]+", "[^a-c]+", "[%w_]+", "[%]]", "[]]", "[^]]", "[a%-]", "[-a]", "[a-]", "[%a%d]*", "[.]", "[%s%p]+",
		"(a)", "(a)(b)", "(a*)(b*)", "(a(b))", "((a)b)", "(.-)=(.-),", "(%w+)=(%w+)", "()a()", "a()", "(a)%1", "(.)%1", "%b()", "%b[]", "x%b()", "^(%a+) (%a+)$", "(%d+)%.(%d+)", "[+-]?%d+", "e",
	}
	script := `local out = {}
local function add(...) for i = 1, select("#", ...) do out[#out + 1] = tostring((select(i, ...))) end out[#out + 1] = ";" end
local text, pattern = %q, %q
local a, b = text:match(pattern) add(a, b) a, b = text:match(pattern, -1) add(a, b) add(text:find(pattern)) add(text:find(pattern, 2))
add(text:gsub(pattern, "<%%0>")) add(text:gsub(pattern, "%%%%", 1))
for a, b in text:gmatch(pattern) do add(a, b) end
return table.concat(out, ",")`
	tried, refused := 0, 0
	for _, text := range texts {
		for _, pattern := range patterns {
			source := fmt.Sprintf(script, text, pattern)
			want, err := plain(source)
			if err != nil {
				refused++ // the manual may have an answer: see TestScriptsAgreeWithTheManual
				continue
			}
			tried++
			if got, err := NewOpen(source).Run(nil); err != nil || got != want {
				t.Errorf("%q in %q: got %v, %v; want %s", pattern, text, got, err, want)
			}
		}
	}
	if tried < 10*refused {
		t.Errorf("the interpreter has answers to %d, and none to %d", tried, refused)
	}
}

// TestRewritesAgreeWithTheInterpreter: what is rewritten into calls is evaluated as often, in the order, and with as
// many values as before.
func TestRewritesAgreeWithTheInterpreter(t *testing.T) {
	const log = `local seen = "" local function say(x, ...) seen = seen .. tostring(x) .. ";" if select("#", ...) > 0 then return ... end return x end `
	for name, tc := range map[string]struct {
		reason  string
		sources []string
	}{
		"Order": {"each part is evaluated once, from the left", []string{
			log + `local t = {} t[say("a")] = say("b") return seen .. t.a`,
			log + `local t = {} say("t", t)[say("k")] = say("v") return seen .. t.k`,
			log + `local t, u = {}, {} say(1, t)[say("a")], say(2, u)[say("b")] = say("x"), say("y") return seen .. t.a .. u.b`,
			log + `local t = {say(1), say(2), x = say(3), [say(4)] = say(5)} return seen .. #t`,
			log + `return say("a") .. say("b") .. say("c") .. seen`,
			log + `local t = {f = function(self, x) return x end} return t:f(say(1)) .. seen`,
			log + `local r = say(1) + say(2) * say(3) return seen .. r`,
			log + `local r = (say(false) and say(1)) or say(2) return seen .. r`,
			log + `if say(nil) then elseif say(1) then say("yes") else say("no") end return seen`,
			log + `for i = say(1), say(3), say(1) do say(i) end return seen`,
			log + `for k in pairs({say("a")}) do say(k) end return seen`,
			log + `local i = 0 while say(i) < 2 do i = i + 1 end return seen`,
			log + `local i = 0 repeat i = i + 1 until say(i) == 2 return seen`,
		}},
		"Values": {"a call gives all its values only at the end of a list", []string{
			`local function two() return 1, 2 end local t = {two(), two()} return #t`,
			`local function two() return 1, 2 end local t = {(two())} return #t`,
			`local function two() return 1, 2 end local t = {two(), nil} return tostring(t[1]) .. tostring(t[2])`,
			`local function two() return 1, 2 end local t = {x = two()} return t.x`,
			`local function two() return 1, 2 end local t = {} t.a, t.b, t.c = two() return tostring(t.a) .. tostring(t.b) .. tostring(t.c)`,
			`local function two() return 1, 2 end local t = {} t.a, t.b, t.c = 0, two() return t.a .. t.b .. t.c`,
			`local function two() return 1, 2 end local t = {} t.a, t.b = two(), 5 return t.a .. t.b`,
			`local function two() return 1, 2 end local t = {} t.a = two() return t.a`,
			`local function two() return 1, 2 end return two() .. two()`,
			`local function two() return "a", "b" end local function f(...) return select("#", ...) end return f(two() .. "x", two())`,
			`local function none() end local t = {none()} return #t`,
			`local function none() end local t = {none(), none()} return #t`,
			`local function none() end local t = {} t.a = none() return tostring(t.a)`,
			`local function f(...) local t = {...} return #t end return f() .. f(nil) .. f(1, nil, 2)`,
			`local function f(...) local t = {..., "end"} return t[2] end return f("a", "b")`,
			`local function f(...) local a, b = ... return tostring(a) .. tostring(b) end return f(1)`,
			`local function f(...) return (...) end return select("#", f(1, 2))`,
			`return select("#", (function() return 1, 2, 3 end)())`,
		}},
		"Stores": {"a store is one, whatever it stores into", []string{
			`local t = {} t.t = t t.t.t.x = 1 return t.x`,
			`local t = {1, 2} t[1], t[2] = t[2], t[1] return t[1] .. t[2]`,
			`local t = {} t.x, t.y = t, 1 return t.x.x.y`,
			`local t = {} t.x, t.y = 1, 2 return t.x .. t.y`,
			`local t = {x = {}} t.x, t.x.y = 1, 2 return tostring(t.x)`,
			`local log = "" local t = setmetatable({}, {__newindex = function(_, k, v) log = log .. k .. v end}) t.a = 1 t.b, t.c = 2, 3 return #log`,
			`local base = {} local t = setmetatable({}, {__newindex = base}) t.a = 1 return tostring(rawget(t, "a")) .. base.a`,
			`local t = setmetatable({}, {__index = function(_, k) return k .. "!" end}) t.a = t.b return t.a .. t.c`,
			`local t = {} t[1.0] = "a" t["1"] = "b" return t[1] .. t["1"]`,
			`local t = {} t[true] = 1 t[t] = 2 return t[true] .. t[t]`,
			`local t = {} for i = 1, 5 do t[#t + 1] = i end t[#t] = nil return #t`,
			`x = 1 x, y = y, x return tostring(x) .. y`,
			`_G.z = 5 return z`,
			`local t = {} function t.f() return "f" end function t:g() return self.f() end return t:g()`,
			`local t = {a = {b = {}}} function t.a.b:c(x, ...) return self == t.a.b and x .. select("#", ...) end return t.a.b:c("x", 1, nil)`,
		}},
		"Functions": {"a function knows itself and what is around it", []string{
			`local function f(n) return n == 0 and "end" or f(n - 1) end return f(3)`,
			`local f = function(n) return type(f) end return f(1)`,
			`local f f = function(n) return n == 0 and "end" or f(n - 1) end return f(3)`,
			`local fs = {} for i = 1, 3 do fs[i] = function() return i end end return fs[1]() .. fs[2]() .. fs[3]()`,
			`local fs, i = {}, 0 while i < 2 do i = i + 1 local j = i fs[i] = function() j = j + 1 return j end end return fs[1]() .. fs[1]() .. fs[2]()`,
			`local function outer() local n = 0 return {up = function() n = n + 1 end, get = function() return n end} end local c = outer() c.up() c.up() return c.get()`,
			`return (function(...) return (function(...) return select("#", ...) end)(...) end)(1, 2)`,
			`local function f(a, b) b = b or "none" return a .. b end return f("x") .. f("x", "y") .. f("x", "y", "z")`,
			`function named(x) return x end return named("global")`,
			`local n = 0 repeat local stop = n > 2 n = n + 1 until stop return n`,
			`local t = {f = function(x) return x end, "a"; "b", [3] = "c"} return t.f(t[2]) .. t[3]`,
			`return (function() return "called" end)()`,
			`local s = ("x"):rep(3) return s:upper():lower() .. #s`,
			`do local a = 1 end return type(a)`,
			`for i = 1, 2 do for j = 1, 2 do if j == 2 then break end end end return "done"`,
			`for i = 3, 1 do return "never" end return "none"`,
			`for i = 1, 0.5 do return "never" end return "none"`,
		}},
		"Operators": {"joins go from the right, and metatables take part", []string{
			`return "a" .. 1 .. 2.5 .. -0 .. "b"`,
			`return 2 ^ 3 ^ 2 .. ""`,
			`return -2 ^ 2 .. ""`,
			`return 1 .. ""`,
			`return ("a" .. "b") .. ("c" .. "d")`,
			`return "a" .. (1 + 2) * 3 .. "b"`,
			`return #"abc" .. #{1, 2}`,
			`return not nil == true and "yes" or "no"`,
			`local log = "" local m = {} m.__concat = function(a, b) log = log .. (type(a) == "table" and "t" or a) .. (type(b) == "table" and "t" or b) .. ";" return "r" end local t = setmetatable({}, m) local r = "a" .. "b" .. t .. "c" return log .. tostring(r)`,
			`local m = {__concat = function(a, b) return setmetatable({}, getmetatable(type(a) == "table" and a or b)) end} local t = setmetatable({}, m) return type("a" .. t .. "b" .. t)`,
			`local m = {__index = {x = 1}, __call = function(_, a) return a end, __tostring = function() return "T" end} local t = setmetatable({}, m) return t.x .. t("y") .. tostring(t)`,
			`local m = {__add = function(a, b) return 7 end, __le = function() return true end} local t = setmetatable({}, m) return t + 1 .. tostring(t <= t)`,
			`return tostring("a" < "b") .. tostring("Z" < "a") .. tostring("" < "a") .. tostring("a" <= "a")`,
			`return tostring(1 == 1.0) .. tostring("1" == 1) .. tostring(nil == false)`,
			`return 7 % 3 .. -7 % 3 .. 7 % -3`,
			`return "0x1F" + 0 .. "" .. " 5 " + 0`,
			`return 1e300 * 1e10 == math.huge and "huge" or "finite"`,
		}},
	} {
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

// TestLibrariesAtTheirEdgesAgreeWithTheInterpreter: what is replaced, so that it asks the meter, answers as before.
func TestLibrariesAtTheirEdgesAgreeWithTheInterpreter(t *testing.T) {
	for _, source := range []string{
		`return string.format("%5.2f|%-8s|%08.3f|%+d|% d", 3.14159, "ab", -1.5, 5, 5)`,
		`return string.format("%s|%10s|%-10s|%.1s", "é", "é", "é", "é")`,
		`return string.format("%q", "a\\b\r\0c")`,
		`return string.format("%e %E %G", 12345.678, 0.00001, 1e-10)`,
		`return string.format("%o %u %c%c", 8, 7, 76, 117)`,
		`return string.format("%d", 3.99) .. string.format("%d", -3.99)`,
		`return string.format("")`,
		`return ("abc"):sub(0) .. ("abc"):sub(2, 1) .. ("abc"):sub(-100, 100) .. ("abc"):sub(3, -1)`,
		`return ("abc"):byte(-1) .. select("#", ("abc"):byte(1, -1)) .. select("#", ("abc"):byte(10))`,
		`return string.char() .. string.char(0, 255):len()`,
		`return ("aÉ"):upper() .. ("aÉ"):lower() .. (""):reverse() .. ("ab"):reverse()`,
		`return tostring(("x"):rep(0) == "") .. ("ab"):rep(2) .. #(""):rep(1000000)`,
		`return tostring(tonumber("")) .. tostring(tonumber("1e2")) .. tostring(tonumber("-0x10")) .. tostring(tonumber("1 2"))`,
		`return tonumber("11", 2) .. tonumber("ff", 16) .. tostring(tonumber("9", 8)) .. tonumber("7", 8)`,
		`return tostring(tonumber(nil)) .. tonumber(5) .. tostring(tonumber({}))`,
		`return tostring(-0.0) .. tostring(100) .. tostring(1e100) .. tostring(0.1) .. tostring(123456789012)`,
		`local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return table.concat(t)`,
		`local t = {} table.sort(t) return #t`,
		`local t = {"b", "a"} table.sort(t) return t[1] .. t[2]`,
		`local t = {1, 2, 3} return table.remove(t) .. table.remove(t, 1) .. #t`,
		`local t = {} table.insert(t, "a") table.insert(t, 1, "b") table.insert(t, 3, "c") return table.concat(t)`,
		`return table.concat({}) .. table.concat({"a"}, ",") .. table.concat({"a", "b", "c"}, "-", 2) .. table.concat({"a"}, ",", 2)`,
		`return table.concat({1, 2.5, "x"}, "")`,
		`return table.maxn({}) .. table.maxn({[5] = 1, x = 2}) .. table.getn({1, 2, 3})`,
		`return select("#") .. select("#", nil, nil) .. select(2, "a", "b") .. select("#", select(3, "a", "b"))`,
		`return select(-2, "a", "b", "c")`,
		`local a, b, c = unpack({1, 2, 3}, 2) return a .. b .. tostring(c)`,
		`return select("#", unpack({}, 1, 3)) .. select("#", unpack({1}, 2))`,
		`local ok, message = pcall(error, "x", 0) return tostring(ok) .. message`,
		`local ok, value = pcall(error, {code = 5}) return tostring(ok) .. value.code`,
		`local ok, value = pcall(error, nil) return tostring(ok) .. tostring(value)`,
		`return tostring(pcall(pcall, error, "x"))`,
		`local ok, m = xpcall(function() return "fine" end, function() return "handled" end) return tostring(ok) .. m`,
		`local t = setmetatable({}, {__metatable = "locked"}) return getmetatable(t) .. tostring(pcall(setmetatable, t, {}))`,
		`return tostring(getmetatable({})) .. type(getmetatable("").__index)`,
		`return tostring(rawget(setmetatable({}, {__index = {a = 1}}), "a")) .. tostring(rawequal("a", "a"))`,
		`local n = 0 for k, v in pairs({}) do n = n + 1 end for i, v in ipairs({1, nil, 3}) do n = n + 1 end return n`,
		`local t = {a = 1} for k in pairs(t) do t[k] = nil end return tostring(next(t))`,
		`return math.floor(-1.5) .. math.ceil(-1.5) .. math.abs(-3) .. math.max(1, 2, 3) .. math.min(3, 1) .. math.fmod(7, 3)`,
		`return math.sqrt(16) .. math.pow(2, 3) .. tostring(math.pi > 3) .. select("#", math.modf(1.5)) .. math.ldexp(1, 3)`,
		`return os.date("!%H:%M", 3600) .. os.date("!*t", 0).year .. os.difftime(10, 5)`,
		`return type(os.time()) .. type(os.clock())`,
		`return type(assert(1, "x")) .. select("#", assert(1, 2, 3))`,
	} {
		want, err := plain(source)
		if err != nil {
			t.Errorf("the interpreter has no answer to %s: %v", source, err)
			continue
		}
		if got, err := NewOpen(source).Run(nil); err != nil || fmt.Sprint(got) != want {
			t.Errorf("got %v, %v; want %s for %s", got, err, want, source)
		}
	}
}

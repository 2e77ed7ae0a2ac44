package chart

import (
	"encoding/json"
	"strings"
)

// splitJSON finds the charts of an index that is JSON, as `helm repo index --json`
// writes it. It returns nil for others, and for one that says something twice.
func splitJSON(data []byte) map[string]span {
	start := between(data, 0)
	if start == len(data) || data[start] != '{' || !json.Valid(data) {
		return nil
	}
	entries := -1
	all := members(data, start, func(name string, at span) bool {
		if name != "entries" {
			return true
		}
		again := entries >= 0
		entries = at.from
		return !again
	})
	if !all || entries < 0 || data[entries] != '{' {
		return nil
	}
	spans := map[string]span{}
	all = members(data, entries, func(name string, at span) bool {
		_, again := spans[name]
		spans[name] = at
		return !again && len(spans) <= mostCharts
	})
	if !all || len(spans) == 0 {
		return nil
	}
	return spans
}

// members shows what an object of valid JSON has, for as long as more says so. It
// reports whether that was all.
func members(data []byte, object int, more func(name string, at span) bool) bool {
	for at := between(data, object+1); data[at] != '}'; at = between(data, at) {
		var name string
		end := skip(data, at)
		if json.Unmarshal(data[at:end], &name) != nil {
			return false
		}
		at = between(data, end)
		end = skip(data, at)
		if !more(name, span{at, end}) {
			return false
		}
		at = end
	}
	return true
}

// between is where the next value begins, or what holds it ends.
func between(data []byte, at int) int {
	for at < len(data) && strings.IndexByte(" \t\r\n,:", data[at]) >= 0 {
		at++
	}
	return at
}

// skip is where a value of valid JSON ends.
func skip(data []byte, at int) int {
	depth := 0
	for ; at < len(data); at++ {
		switch data[at] {
		case '"':
			at = closing(data, at)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return at // of what holds a number or a word
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return at
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return at + 1
		}
	}
	return at
}

// closing is where the quote is that ends a text.
func closing(data []byte, at int) int {
	for at++; data[at] != '"'; at++ {
		if data[at] == '\\' {
			at++
		}
	}
	return at
}

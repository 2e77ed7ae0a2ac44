package bridge

import (
	"encoding/json"
	"math"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
)

// Type of a value. The names are those of a MetadataSchema.
type Type string

// The types.
const (
	TypeString  Type = "string"
	TypeBoolean Type = "boolean"
	TypeInteger Type = "integer"
	TypeNumber  Type = "number"
	TypeURL     Type = "url"
	TypeJSON    Type = "json"
	TypeARN     Type = "arn"
	TypeCIDR    Type = "cidr"
)

// The forms are chosen so that Go and the expressions of an API server (CEL)
// judge alike: see Expressions.
var (
	integerForm = regexp.MustCompile(`^[+-]?[0-9]{1,18}$`)
	numberForm  = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$`)
	urlForm     = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/?#]+([/?#]\S*)?$`)
	// jsonForm is all that an API server can see of JSON; Go reads it.
	jsonForm = regexp.MustCompile(`^\s*(\{[\s\S]*\}|\[[\s\S]*\])\s*$`)
	arnForm  = regexp.MustCompile(`^arn:[a-z0-9-]+:[a-z0-9-]+:[a-z0-9-]*:([0-9]{12}|aws)?:\S+$`)
)

// Is reports whether a value has a type. JSON are objects and lists: a text that
// happens to be JSON, as a word in quotes, is a text.
func (t Type) Is(value string) bool {
	switch t {
	case TypeBoolean:
		return value == "true" || value == "false"
	case TypeInteger:
		return integerForm.MatchString(value)
	case TypeNumber:
		return numberForm.MatchString(value)
	case TypeURL:
		return urlForm.MatchString(value)
	case TypeARN:
		return arnForm.MatchString(value)
	case TypeCIDR:
		prefix, err := netip.ParsePrefix(value)
		return err == nil && !prefix.Addr().Is4In6()
	case TypeJSON:
		return jsonForm.MatchString(value) && json.Valid([]byte(value))
	case TypeString, "":
		return true
	}
	return false
}

// GuessType tells what a value looks like.
func GuessType(value string) Type {
	for _, t := range []Type{TypeBoolean, TypeInteger, TypeNumber, TypeARN, TypeCIDR, TypeURL} {
		if t.Is(value) {
			return t
		}
	}
	if TypeJSON.Is(value) {
		return TypeJSON
	}
	return TypeString
}

// marker is what a text gets so that it differs. It may stand in names of
// objects, in versions and in paths.
const marker = "cwmark"

// Instead is another value of the same type, which a key gets to see what follows from
// the one it has: templates that branch on it, or calculate with it, go on working.
func Instead(value string) string {
	switch GuessType(value) {
	case TypeBoolean:
		return strconv.FormatBool(value == "false")
	case TypeInteger:
		n, err := strconv.ParseInt(value, 10, 64)
		if err == nil && n < math.MaxInt32 {
			return strconv.FormatInt(n+1, 10)
		}
		return strconv.FormatInt(n-1, 10)
	case TypeNumber:
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return strconv.FormatFloat(otherNumber(n), 'f', -1, 64)
		}
	case TypeCIDR:
		if value != "198.18.0.0/15" {
			return "198.18.0.0/15" // set aside for tests by RFC 2544
		}
		return "198.51.100.0/24"
	case TypeURL:
		if u, err := url.Parse(value); err == nil {
			return u.JoinPath(marker).String()
		}
	case TypeJSON:
		if out, ok := otherJSON(value); ok {
			return out
		}
	case TypeString, TypeARN:
	}
	if value == "" {
		return marker
	}
	return value + "-" + marker
}

// otherNumber is another number, also of one so large that one more is the same.
func otherNumber(n float64) float64 {
	if n+1 != n {
		return n + 1
	}
	return n / 2
}

// otherJSON changes each text, number and boolean within JSON. What has none of
// them gets one: templates that read it still find JSON.
func otherJSON(value string) (string, bool) {
	var content any
	if json.Unmarshal([]byte(value), &content) != nil {
		return "", false
	}
	before, err := json.Marshal(content)
	if err != nil {
		return "", false
	}
	changed, err := json.Marshal(otherValue(content))
	if err == nil && string(changed) == string(before) {
		changed, err = json.Marshal(grown(content))
	}
	return string(changed), err == nil
}

func grown(content any) any {
	switch v := content.(type) {
	case map[string]any:
		v[marker] = marker
	case []any:
		return append(v, marker)
	}
	return content
}

func otherValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = otherValue(inner)
		}
		return v
	case []any:
		for i, inner := range v {
			v[i] = otherValue(inner)
		}
		return v
	case string:
		return Instead(v)
	case float64:
		return otherNumber(v)
	case bool:
		return !v
	}
	return value
}

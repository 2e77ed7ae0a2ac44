package declare

import (
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// plain turns a known Terraform value into what JSON has: string, bool, int64,
// float64, []any, map[string]any. Null is nil.
func plain(v tftypes.Value) (any, error) {
	if v.IsNull() {
		return nil, nil
	}
	t := v.Type()
	switch {
	case t.Is(tftypes.String):
		var s string
		err := v.As(&s)
		return s, err
	case t.Is(tftypes.Bool):
		var b bool
		err := v.As(&b)
		return b, err
	case t.Is(tftypes.Number):
		return number(v)
	case t.Is(tftypes.Map{}), t.Is(tftypes.Object{}):
		return plainMap(v)
	}
	var all []tftypes.Value
	if err := v.As(&all); err != nil {
		return nil, err
	}
	out := make([]any, 0, len(all))
	for _, e := range all {
		p, err := plain(e)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func plainMap(v tftypes.Value) (map[string]any, error) {
	all := map[string]tftypes.Value{}
	if err := v.As(&all); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for key, e := range all {
		p, err := plain(e)
		if err != nil {
			return nil, err
		}
		out[key] = p
	}
	return out, nil
}

func number(v tftypes.Value) (any, error) {
	f := new(big.Float)
	if err := v.As(f); err != nil {
		return nil, err
	}
	if i, exact := f.Int64(); exact == big.Exact {
		return i, nil
	}
	r, _ := f.Float64()
	return r, nil
}

// typed is the reverse of plain, for a type of the schema. What does not fit
// is null: an import takes what can be said in attributes.
func typed(t tftypes.Type, v any) tftypes.Value {
	null := tftypes.NewValue(t, nil)
	switch v := v.(type) {
	case map[string]any:
		return typedMap(t, v, null)
	case []any:
		list, ok := t.(tftypes.List)
		if !ok {
			return null
		}
		out := make([]tftypes.Value, 0, len(v))
		for _, e := range v {
			out = append(out, typed(list.ElementType, e))
		}
		return tftypes.NewValue(t, out)
	case string:
		if t.Is(tftypes.String) {
			return tftypes.NewValue(t, v)
		}
	case bool:
		if t.Is(tftypes.Bool) {
			return tftypes.NewValue(t, v)
		}
	case int64, float64:
		if t.Is(tftypes.Number) {
			return tftypes.NewValue(t, v)
		}
	}
	return null
}

func typedMap(t tftypes.Type, v map[string]any, null tftypes.Value) tftypes.Value {
	out := map[string]tftypes.Value{}
	switch t := t.(type) {
	case tftypes.Map:
		for key, e := range v {
			out[key] = typed(t.ElementType, e)
		}
	case tftypes.Object:
		for key, et := range t.AttributeTypes {
			out[key] = typed(et, v[key])
		}
	default:
		return null
	}
	return tftypes.NewValue(t, out)
}

// top returns the attributes of a resource's value.
func top(v tftypes.Value) (map[string]tftypes.Value, error) {
	out := map[string]tftypes.Value{}
	if err := v.As(&out); err != nil {
		return nil, fmt.Errorf("cannot read the attributes: %w", err)
	}
	return out, nil
}

package render

import (
	"encoding/json"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/wire"
)

// encodeValues writes what is told of values; the texts that many layers share, as the
// place of a file, are written once.
func encodeValues(all []SourceValues) ([]byte, error) {
	w := &wire.Writer{}
	w.Int(len(all))
	for _, s := range all {
		w.Int(s.Source)
		w.Text(string(s.Type))
		w.Int(len(s.Values))
		for _, v := range s.Values {
			w.Texts(v.Path)
			w.Int(len(v.Layers))
			for _, l := range v.Layers {
				w.Text(string(l.Kind))
				w.Text(l.Name)
				writeOrigin(w, l.Origin)
				value, err := json.Marshal(l.Value)
				if err != nil {
					return nil, err
				}
				w.Blob(value)
			}
		}
	}
	return w.Bytes(), nil
}

// decodeValues reads what encodeValues wrote.
func decodeValues(text []byte) ([]SourceValues, error) {
	r := wire.NewReader(text)
	names := new(keys)
	var all []SourceValues
	for range r.Count() {
		s := SourceValues{Source: r.Int(), Type: gitops.SourceType(r.Text())}
		for range r.Count() {
			v := gitops.Value{Path: r.Texts()}
			for range r.Count() {
				l, err := readLayer(r, names)
				if err != nil {
					return nil, err
				}
				v.Layers = append(v.Layers, l)
			}
			s.Values = append(s.Values, v)
		}
		all = append(all, s)
	}
	if r.Err() == nil && r.Len() > 0 {
		return nil, wire.ErrBroken
	}
	return all, r.Err()
}

func readLayer(r *wire.Reader, names *keys) (gitops.Layer, error) {
	l := gitops.Layer{Kind: gitops.LayerKind(r.Text()), Name: r.Text(), Origin: readOrigin(r)}
	text := r.Blob()
	if err := r.Err(); err != nil {
		return l, err
	}
	value := objectReader{text: text, names: names}
	var err error
	if l.Value, err = value.value(0); err == nil && len(value.text) > 0 {
		err = errObject
	}
	return l, err
}

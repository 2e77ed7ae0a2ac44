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

// What is made of values, in bytes, without their texts.
const (
	perSource = 56
	perValue  = 48
	perLayer  = 128
)

// decodeValues reads what encodeValues wrote of so many sources.
func decodeValues(text []byte, sources int) ([]SourceValues, error) {
	r := valuesReader{wire.NewReader(text, wire.Most), new(keys)}
	all := items(r.Reader, r.CountTo(sources, perSource), func() SourceValues {
		return SourceValues{Source: r.Int(), Type: gitops.SourceType(r.Text()), Values: items(r.Reader, r.Count(perValue), r.value)}
	})
	if r.Err() == nil && r.Len() > 0 {
		return nil, wire.ErrBroken
	}
	return all, r.Err()
}

type valuesReader struct {
	*wire.Reader

	names *keys
}

func (r valuesReader) value() gitops.Value {
	return gitops.Value{Path: r.Texts(), Layers: items(r.Reader, r.Count(perLayer), r.layer)}
}

func (r valuesReader) layer() gitops.Layer {
	l := gitops.Layer{Kind: gitops.LayerKind(r.Text()), Name: r.Text(), Origin: readOrigin(r.Reader)}
	said := objectReader{text: r.Blob(), names: r.names, left: int64(r.Left())}
	if r.Err() != nil {
		return l
	}
	var err error
	if l.Value, err = said.value(0); err == nil && len(said.text) > 0 {
		err = errObject
	}
	if err != nil {
		r.Fail(err)
		return l
	}
	r.Take(r.Left() - int(said.left))
	return l
}

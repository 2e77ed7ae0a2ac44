package directory

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"unicode/utf16"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// decode turns a file that begins with the byte order mark of UTF-16 into
// UTF-8, as editors of Windows write it. Other files stay as they are.
func decode(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return text
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// artifact reports whether a JSON file is the manifest of an OCI artifact,
// which lies beside manifests where they were copied out of a registry.
func artifact(text []byte) bool {
	if _, err := bounded.Check(text); err != nil {
		return false // who reads it as an object tells
	}
	var m struct {
		SchemaVersion int               `json:"schemaVersion"`
		Kind          string            `json:"kind"`
		Layers        []json.RawMessage `json:"layers"`
		Manifests     []json.RawMessage `json:"manifests"`
	}
	return json.Unmarshal(text, &m) == nil && m.SchemaVersion == 2 && m.Kind == "" && (m.Layers != nil || m.Manifests != nil)
}

package value

import (
	"encoding/base64"
	"fmt"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Decode is the value that was encoded. Base64 wants padding, and ignores the
// ends of lines; a value that cannot be decoded is an error, for which the value
// itself is not quoted.
func Decode(strategy esv1.DecodingStrategy, encoded []byte) ([]byte, error) {
	switch strategy {
	case "", esv1.DecodeNone:
		return encoded, nil
	case esv1.DecodeBase64:
		return base64.StdEncoding.AppendDecode([]byte{}, encoded)
	case esv1.DecodeBase64URL:
		return base64.URLEncoding.AppendDecode([]byte{}, encoded)
	case esv1.DecodeAuto:
		return decodeAny(encoded), nil
	default:
		return nil, fmt.Errorf("decoding strategy %s is not supported: use None, Base64, Base64URL or Auto", strategy)
	}
}

func decodeAny(encoded []byte) []byte {
	for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		if decoded, err := alphabet.AppendDecode([]byte{}, encoded); err == nil {
			return decoded
		}
	}
	return encoded
}

// DecodeAll is Decode for each value of a map, which stays as it is.
func DecodeAll(strategy esv1.DecodingStrategy, encoded map[string][]byte) (map[string][]byte, error) {
	out := make(map[string][]byte, len(encoded))
	for _, key := range sortedKeys(encoded) {
		decoded, err := Decode(strategy, encoded[key])
		if err != nil {
			return nil, fmt.Errorf("value of key %q: %w", key, err)
		}
		out[key] = decoded
	}
	return out, nil
}

package gitops

import "strings"

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// PointerPart is a key as a part of a JSON pointer (RFC 6901).
func PointerPart(key string) string { return pointerEscapes.Replace(key) }

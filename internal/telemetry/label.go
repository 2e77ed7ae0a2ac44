package telemetry

import "strings"

// maxLabel bounds the value of a label that others write, in bytes.
const maxLabel = 512

// Label is a text of others as the value of a metric's label. One that is no UTF-8 would
// end the collection.
func Label(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxLabel)], "\uFFFD")
}

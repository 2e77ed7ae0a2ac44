package report

import "encoding/json"

// MaxStatus is the most that a status may take, in bytes of JSON: etcd takes requests of
// 1.5 MiB, and spec and metadata need room, too.
const MaxStatus = 1 << 20

// Size is the length of a value as JSON; what cannot be encoded counts nothing, as it
// will not be written either.
func Size(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		return 0
	}
	return len(text)
}

package gitops

import "math/bits"

// What the runtime takes, in bytes, see TestWeightOfObjects of internal/render. A map has its first
// places when something is put into it, and with more than those twice as many again
// and again, of which an eighth stays free.
const (
	perManifest = 192 // with what says where it comes from
	perMap      = 48
	fewPlaces   = 8
	perFew      = 288 // all of these
	perPlace    = 37
	perTable    = 96
	perList     = 24
	perItem     = 16
	perString   = 16
	perNumber   = 8
	perWord     = 16 // texts are rounded up to so much
)

// Weight is what manifests take in memory, in bytes: some ten times their JSON most
// times, and thirty times that of a list of {}.
func Weight(manifests []Manifest) int64 {
	n := int64(len(manifests)) * perManifest
	for _, m := range manifests {
		n += weigh(m.Object.Object)
	}
	return n
}

func weigh(value any) int64 {
	switch v := value.(type) {
	case map[string]any:
		n := entries(len(v))
		for key, below := range v {
			n += rounded(key) + weigh(below)
		}
		return n
	case []any:
		n := perList + int64(cap(v))*perItem
		for _, below := range v {
			n += weigh(below)
		}
		return n
	case string:
		return perString + rounded(v)
	case nil, bool:
		return 0
	}
	return perNumber
}

// entries is what a map of so many takes without what is in it.
func entries(n int) int64 {
	switch {
	case n == 0:
		return perMap
	case n <= fewPlaces:
		return perMap + perFew
	}
	slots := int64(1) << bits.Len(uint(n*fewPlaces/(fewPlaces-1)))
	return perMap + perTable + slots*perPlace
}

func rounded(text string) int64 { return (int64(len(text)) + perWord - 1) / perWord * perWord }

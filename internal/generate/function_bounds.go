package generate

import (
	"errors"
	"reflect"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// bound says before a call whether it may be, and how many bytes its result
// keeps in memory where that is more than what can be seen of it.
type bound = func(limit int, args []reflect.Value) (keeps int, err error)

// bounds has all functions that texts may call, each with what keeps its
// result, and what it takes until that is there, within some times the limit.
var bounds = boundsOf(map[string]bound{
	// They give a part of what they are given, or a list or map of just that:
	// no value is followed further than to its items.
	`append all any chunk coalesce compact default dig empty first get hasKey initial kindIs kindOf last
	list mustAppend mustChunk mustCompact mustFirst mustInitial mustLast mustPrepend mustPush mustRest mustReverse
	pluck prepend push rest reverse set ternary tuple typeIs typeIsLike typeOf unset values`: free,
	// What they give is as long as all that they are given together.
	"concat keys": adding,
	// They are given texts, each within the limit, and give a few times of that
	// at most.
	`abbrev abbrevboth adler32sum atoi b32dec b32enc b64dec b64enc base buildCustomCert camelcase clean contains dir
	ext fail hasPrefix hasSuffix initials isAbs kebabcase lower nospace normalize osBase osClean osDir osExt
	osIsAbs plural sha1sum sha256sum sha512sum shuffle slugify snakecase substr swapcase title trim trimAll
	trimPrefix trimSuffix trimall trunc untitle upper`: free,
	// They are measured by what they match: see matched.
	`mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit
	regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll regexReplaceAllLiteral regexSplit`: free,
	// Times are small, and formats give about twice of themselves.
	`ago date dateInZone dateModify date_in_zone date_modify duration durationRound htmlDate htmlDateInZone
	mustDateModify mustToDate must_date_modify now toDate unixEpoch`: free,
	// They give something small, out of nothing or of small numbers.
	"hello randInt uuidv4": free,
	// They print what they are given, or encode it: a byte becomes six at most.
	`cat html js mustToJson mustToPrettyJson mustToRawJson print println quote sortAlpha squote toJson toPrettyJson
	toRawJson toString toStrings toYaml urlJoin urlquery`: printing,
	// They take anything for a number, and print what is none in their error.
	`add add1 add1f addf biggest ceil div divf float64 floor int int64 max maxf min minf mod mul mulf round sub subf
	toDecimal`: printing,
	// They make keys, which takes long: how many is counted, too. What they
	// are given stands in what they make, and in their errors.
	strings.Join(bounded.MakeKeys, " "): printing,
	// Their cost is known by numbers and lengths.
	`indent nindent randAlpha randAlphaNum randAscii randBytes randNumeric repeat replace semver semverCompare seq
	splitList until untilStep wrap wrapWith`: free,
	"printf": formatting, "join": joining, "slice mustSlice": slicing,
	// They make maps, which take more than what is in them.
	"dict": making, "pick": picking, "omit": omitting, "split": splitting, "splitn": splittingFirst, "urlParse": ofAddress,
	// They walk to the ends of what they are given.
	"merge mergeOverwrite mustMerge mustMergeOverwrite": walking, "deepCopy mustDeepCopy": copying,
	// They compare each item with each other, or with some.
	"deepEqual has mustHas": comparing(once), "uniq mustUniq": comparing(byItem), "without mustWithout": comparing(byOmitted),
	// A text becomes many times of itself.
	"fromJson mustFromJson fromYaml fromYamlArray": decoding,
})

// boundsOf puts the cost of each function before its bound.
func boundsOf(classes map[string]bound) map[string]bound {
	out := map[string]bound{}
	for names, bound := range classes {
		for name := range strings.FieldsSeq(names) {
			out[name] = costing(costs[name], bound)
		}
	}
	return out
}

func costing(cost func([]reflect.Value) float64, then bound) bound {
	if cost == nil {
		return then
	}
	return func(limit int, args []reflect.Value) (int, error) {
		if cost(args) > float64(limit) {
			return 0, errTooLarge
		}
		return then(limit, args)
	}
}

func free(int, []reflect.Value) (int, error) { return 0, nil }

// printOf measures values that are to be printed.
func printOf(limit int, args []reflect.Value) (bounded.Print, error) {
	size, err := bounded.Printed(int64(limit), valuesOf(args)...)
	switch {
	case errors.Is(err, bounded.ErrLarge):
		return size, errTooLarge
	case err != nil:
		return size, errTooDeep
	}
	return size, nil
}

func valuesOf(args []reflect.Value) []any {
	out := make([]any, len(args))
	for i, v := range args {
		if v.IsValid() {
			out[i] = v.Interface()
		}
	}
	return out
}

func printing(limit int, args []reflect.Value) (int, error) {
	_, err := printOf(limit, args)
	return 0, err
}

func formatting(limit int, args []reflect.Value) (int, error) {
	values, _ := args[1].Interface().([]any)
	size, err := printOf(limit, args[1:])
	if err == nil && bounded.Formatted(args[0].String(), size, values...) > perQuoted*int64(limit) {
		err = errTooLarge
	}
	return 0, err
}

// perQuoted is how many times the limit a format may seem to make: what quotes
// is measured by the most that one byte becomes.
const perQuoted = 4

func joining(limit int, args []reflect.Value) (int, error) {
	size, err := printOf(limit, args[1:])
	if err == nil && size.Bytes+int64(itemsOf(args[1]))*int64(args[0].Len()) > int64(limit) {
		err = errTooLarge
	}
	return 0, err
}

// slicing prints places that are no numbers.
func slicing(limit int, args []reflect.Value) (int, error) { return printing(limit, args[1:]) }

// adding counts the items of all lists or maps.
func adding(limit int, args []reflect.Value) (int, error) {
	n := 0
	for i := range args[0].Len() {
		n += itemsOf(args[0].Index(i))
	}
	if perPiece*n > limit {
		return 0, errTooLarge
	}
	return 0, nil
}

// itemsOf is how many a list or map has; none for anything else.
func itemsOf(v reflect.Value) int {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return v.Len()
	default:
		return 0
	}
}

// making prints the keys of a map.
func making(limit int, args []reflect.Value) (int, error) {
	given := args[0]
	for i := 0; i < given.Len(); i += 2 {
		if _, err := printOf(limit, []reflect.Value{given.Index(i)}); err != nil {
			return 0, err
		}
	}
	return mapOf((given.Len() + 1) / 2), nil //nolint:mnd // a key and a value
}

func picking(_ int, args []reflect.Value) (int, error) {
	return mapOf(min(args[0].Len(), args[1].Len())), nil
}

func omitting(_ int, args []reflect.Value) (int, error) { return mapOf(args[0].Len()), nil }

func splitting(_ int, args []reflect.Value) (int, error) {
	return mapOf(1 + int(pieces(args[0], args[1]))), nil
}

func splittingFirst(_ int, args []reflect.Value) (int, error) {
	return mapOf(int(firstPieces(args))), nil
}

// ofAddress is a map of the parts that an address has.
func ofAddress(int, []reflect.Value) (int, error) {
	const parts = 8
	return mapOf(parts), nil
}

func walking(_ int, args []reflect.Value) (int, error) {
	if !allEnd(args) {
		return 0, errTooDeep
	}
	return 0, nil
}

// copying makes what is referred to in many places anew for each.
func copying(limit int, args []reflect.Value) (int, error) {
	const perCopied = 2 * perItem
	n, ok := nodes(args)
	if !ok {
		return 0, errTooDeep
	}
	if perCopied*n > limit {
		return 0, errTooLarge
	}
	return perCopied * n, nil
}

// mostCompared is how many bytes one call may compare: about a second.
const mostCompared = 1 << 30

// comparing bounds how often all that is given is looked through.
func comparing(times func(args []reflect.Value) int) bound {
	return func(_ int, args []reflect.Value) (int, error) {
		if !allEnd(args) {
			return 0, errTooDeep
		}
		return printing(mostCompared/max(times(args), 1), args)
	}
}

func once([]reflect.Value) int           { return 1 }
func byItem(args []reflect.Value) int    { return itemsOf(args[0]) }
func byOmitted(args []reflect.Value) int { return args[1].Len() }

func decoding(limit int, args []reflect.Value) (int, error) {
	n, err := bounded.Check([]byte(args[0].String()))
	var much *bounded.TooMuch
	if errors.As(err, &much) {
		return 0, err
	}
	if perItem*n > limit {
		return 0, errTooLarge
	}
	return perItem * n, nil // another error is the function's to tell
}

package api

import (
	"encoding/json"
	"io"

	"github.com/danielgtaylor/huma/v2"
)

// written is an answer that has its JSON already.
type written interface{ written() []byte }

// format writes answers.
var format = huma.Format{Unmarshal: json.Unmarshal, Marshal: func(to io.Writer, v any) error {
	if w, is := v.(written); is {
		_, err := to.Write(w.written())
		return err
	}
	return huma.DefaultJSONFormat.Marshal(to, v)
}}

// textOfJSON appends a text as JSON has it.
func textOfJSON(to []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(text) //nolint:errchkjson // a text
			return append(to, quoted...)
		}
	}
	return append(append(append(to, '"'), text...), '"')
}

// fieldOfJSON appends a field of an object, with a comma behind it.
func fieldOfJSON(to []byte, name, text string) []byte {
	to = append(append(append(to, '"'), name...), '"', ':')
	return append(textOfJSON(to, text), ',')
}

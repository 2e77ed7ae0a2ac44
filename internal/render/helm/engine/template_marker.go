package engine

import (
	"crypto/rand"
	"encoding/binary"
	"text/template/parse"
)

// A marker is a piece of text that is put into the parse tree of a template:
// the writer takes it for what it is and writes nothing. It costs a
// comparison where a function would cost a call by reflection. Its secret
// keeps templates from writing one.
//
// Layout: secret, kind, weight (uint16), line (uint32), name of the template.
const (
	secretLen  = 8
	atKind     = secretLen
	atWeight   = atKind + 1
	atLine     = atWeight + 2
	atName     = atLine + 4
	tickMarker = 't' // a turn of a loop, or so many nodes further
	enterMark  = 'e' // the head of a template
	leaveMark  = 'l' // its end
	textMark   = 'x' // text of a file follows
	actionMark = 'a' // output of an action of a file follows
)

var secret = func() (s [secretLen]byte) {
	_, _ = rand.Read(s[:])
	s[0] = 0 // no text starts so
	return s
}()

func marker(kind byte, weight, line int, name string, pos parse.Pos) *parse.TextNode {
	text := make([]byte, atName, atName+len(name))
	copy(text, secret[:])
	text[atKind] = kind
	binary.LittleEndian.PutUint16(text[atWeight:], uint16(min(weight, 1<<16-1))) //nolint:gosec // bounded
	binary.LittleEndian.PutUint32(text[atLine:], uint32(max(line, 0)))           //nolint:gosec // lines of a file of some MiB
	return &parse.TextNode{NodeType: parse.NodeText, Pos: pos, Text: append(text, name...)}
}

func isMarker(p []byte) bool {
	return len(p) >= atName && p[0] == 0 && [secretLen]byte(p[:secretLen]) == secret
}

func weightOf(m []byte) int { return int(binary.LittleEndian.Uint16(m[atWeight:])) }

func lineOf(m []byte) int { return int(binary.LittleEndian.Uint32(m[atLine:])) }

func nameOf(m []byte) string { return string(m[atName:]) }

package document

import (
	"bytes"
	"strconv"
	"strings"

	yamlv2 "go.yaml.in/yaml/v2"
)

// plain reads the YAML that charts and people write nearly always: block
// mappings and lists of scalars in ASCII, indented by spaces, without anchors,
// tags, folded or continued texts, and flow collections of such scalars that end
// in their line. It gives up at anything
// else, and at all that may be an error, and the library reads the document.
// What it reads it reads as the library does, which a fuzz test holds.
type plain struct {
	// text is what is left, from the start of a line or, in a list, of an
	// item's content. No value shares it: one name that is kept for long
	// would keep the whole document.
	text string
	// indent is the column of the next content, -1 at the end.
	indent int
	depth  int
	// values are those that were read, parts those of them in flow collections.
	values, parts int
}

// Bounds of what is worth reading here.
const (
	maxPlainDepth = 64
	maxPlainKey   = 128
	// maxPlainValues take less than the library may need for fewer: keys and
	// texts are no values of their own here.
	maxPlainValues = 1_000_000
	// maxFlowParts are fewer: one takes three bytes of text.
	maxFlowParts = 100_000
)

// readPlain reads a document that is a mapping, and counts its entries and
// items; ok is false when the library has to.
func readPlain(text []byte) (object map[string]any, values int, ok bool) {
	if len(text) == 0 || text[len(text)-1] != '\n' || !simple(text) {
		return nil, 0, false
	}
	p := plain{text: string(text)}
	p.next()
	object, ok = p.mapping()
	return object, p.values, ok && p.indent < 0
}

// counts takes up one more value.
func (p *plain) counts() bool {
	p.values++
	return p.values <= maxPlainValues
}

// simple reports whether a text has printable ASCII and line ends alone.
func simple(text []byte) bool {
	for _, c := range text {
		if (c < ' ' && c != '\n') || c > '~' {
			return false
		}
	}
	// These stand for themselves only inside of other texts.
	return !bytes.HasPrefix(text, []byte("%")) && !bytes.HasPrefix(text, []byte("...")) && !bytes.Contains(text, []byte("\n...")) && !bytes.Contains(text, []byte("\n---"))
}

// next goes to the next content, over blank lines and comments.
func (p *plain) next() {
	for p.text != "" {
		line := p.text[:strings.IndexByte(p.text, '\n')]
		content := strings.TrimLeft(line, " ")
		if content != "" && content[0] != '#' {
			p.indent = len(line) - len(content)
			p.text = p.text[p.indent:]
			return
		}
		p.text = p.text[len(line)+1:]
	}
	p.indent = -1
}

// line takes the rest of the line.
func (p *plain) line() string {
	end := strings.IndexByte(p.text, '\n')
	line := p.text[:end]
	p.text = p.text[end+1:]
	return line
}

// mapping reads the keys that stand in the column of the first one.
func (p *plain) mapping() (map[string]any, bool) {
	at := p.indent
	if p.depth++; p.depth > maxPlainDepth || at < 0 {
		return nil, false
	}
	out := map[string]any{}
	for p.indent == at {
		key, ok := p.key()
		if !ok {
			return nil, false
		}
		if _, twice := out[key]; twice || !p.counts() {
			return nil, false
		}
		value, ok := p.value(at)
		if !ok {
			return nil, false
		}
		out[key] = value
	}
	p.depth--
	return out, p.indent < at
}

// key takes a key with its colon.
func (p *plain) key() (string, bool) {
	n := 0
	for n < len(p.text) && keyByte(p.text[n]) {
		n++
	}
	if n == 0 || n > maxPlainKey || n+1 >= len(p.text) || p.text[n] != ':' || (p.text[n+1] != ' ' && p.text[n+1] != '\n') {
		return "", false
	}
	key, ok := common[p.text[:n]]
	if !ok {
		key = strings.Clone(p.text[:n])
	}
	if !letter(key[0]) || special(key) {
		return "", false
	}
	p.text = p.text[n+1:]
	return key, true
}

// common are the keys that most objects have: they share them.
var common = func() map[string]string {
	out := map[string]string{}
	for _, key := range strings.Fields(`apiVersion kind metadata name namespace labels annotations spec data status
		replicas selector matchLabels template containers initContainers image imagePullPolicy command args env value valueFrom
		ports port targetPort containerPort protocol nodePort type clusterIP resources limits requests cpu memory volumeMounts mountPath
		subPath readOnly volumes configMap secret secretName configMapKeyRef secretKeyRef configMapRef secretRef envFrom fieldRef fieldPath key items path
		livenessProbe readinessProbe startupProbe httpGet tcpSocket exec initialDelaySeconds periodSeconds timeoutSeconds failureThreshold scheme
		securityContext runAsNonRoot runAsUser runAsGroup fsGroup allowPrivilegeEscalation capabilities drop add readOnlyRootFilesystem privileged
		serviceAccountName serviceAccount automountServiceAccountToken nodeSelector affinity tolerations operator effect strategy rollingUpdate maxUnavailable maxSurge
		rules apiGroups resourceNames verbs roleRef subjects apiGroup host http paths pathType backend service number tls hosts ingressClassName
		app component description properties required format enum default items additionalProperties minimum maximum pattern
		app.kubernetes.io/name app.kubernetes.io/instance app.kubernetes.io/version app.kubernetes.io/component app.kubernetes.io/part-of app.kubernetes.io/managed-by helm.sh/chart`) {
		out[key] = key
	}
	return out
}()

func letter(c byte) bool { return (c|0x20 >= 'a' && c|0x20 <= 'z') || c == '_' || c == '/' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

func keyByte(c byte) bool { return letter(c) || digit(c) || c == '-' || c == '.' }

// special are the words that stand for something else than themselves.
func special(word string) bool {
	if len(word) > len("false") {
		return false
	}
	switch strings.ToLower(word) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

// value reads what stands after the colon of a key, or below it. The column is
// the key's.
func (p *plain) value(at int) (any, bool) {
	rest := strings.TrimSpace(p.line())
	switch {
	case rest == "":
		return p.below(at)
	case rest[0] == '|':
		return p.literal(rest, at)
	}
	value, ok := p.inLine(rest)
	p.next()
	return value, ok && p.indent <= at // else the text goes on in the next line
}

// below reads what stands below a key: a list may stand in the key's column.
func (p *plain) below(at int) (any, bool) {
	p.next()
	list := p.indent >= 0 && strings.HasPrefix(p.text, "- ")
	switch {
	case list && p.indent >= at:
		return p.list()
	case p.indent > at:
		return p.mapping()
	}
	return nil, true
}

// list reads the items that stand in the column of the first one.
func (p *plain) list() ([]any, bool) {
	at := p.indent
	if p.depth++; p.depth > maxPlainDepth {
		return nil, false
	}
	out := []any{}
	for p.indent == at && strings.HasPrefix(p.text, "- ") {
		item, ok := p.item(at)
		if !ok || !p.counts() {
			return nil, false
		}
		out = append(out, item)
	}
	p.depth--
	// A key in the list's column goes on with the mapping around it.
	return out, p.indent <= at
}

func (p *plain) item(at int) (any, bool) {
	content := strings.TrimLeft(p.text[1:], " ")
	if isKey(content) {
		p.indent = at + len(p.text) - len(content)
		p.text = content
		return p.mapping()
	}
	value, ok := p.inLine(strings.TrimSpace(p.line()[1:]))
	p.next()
	return value, ok && p.indent <= at
}

// isKey reports whether a line begins with a key, as key takes them.
func isKey(line string) bool {
	for i := range len(line) {
		if keyByte(line[i]) {
			continue
		}
		return i > 0 && line[i] == ':' && (line[i+1] == ' ' || line[i+1] == '\n')
	}
	return false
}

// inLine reads a value that stands in one line.
func (p *plain) inLine(text string) (any, bool) {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return scalar(text)
	}
	left := p.text
	value, ok := p.flow(text)
	p.text = left
	return value, ok
}

// scalar reads a value in one line.
func scalar(text string) (any, bool) {
	switch {
	case text == "":
		return nil, false
	case text[0] == '"' || text[0] == '\'':
		return quoted(text)
	case strings.Contains(text, ": "), strings.Contains(text, " #"), text[len(text)-1] == ':':
		return nil, false
	case letter(text[0]) && !special(text):
		return strings.Clone(text), true
	case strings.HasPrefix(text, "--"):
		return strings.Clone(text), true
	case letter(text[0]), digit(text[0]), text[0] == '-' && len(text) > 1 && text[1] != ' ':
		return resolve(text)
	}
	return nil, false
}

// quoted reads a text in quotes without escapes.
func quoted(text string) (any, bool) {
	inner := text[1:]
	if end := strings.IndexByte(inner, text[0]); end < 0 || end != len(inner)-1 {
		return nil, false
	}
	inner = inner[:len(inner)-1]
	return strings.Clone(inner), text[0] == '\'' || !strings.Contains(inner, `\`)
}

// resolve gives a scalar that may be a number or a word its type: the library
// knows, but for the simplest numbers.
func resolve(text string) (any, bool) {
	if len(text) < 16 && (text[0] != '0' || len(text) == 1) && strings.Trim(text, "0123456789") == "" {
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	}
	var value any
	if yamlv2.UnmarshalStrict([]byte(text), &value) != nil {
		return nil, false
	}
	return asJSON(value)
}

// literal reads a block of lines, with its last line end or without.
func (p *plain) literal(head string, at int) (any, bool) {
	if head != "|" && head != "|-" {
		return nil, false
	}
	indent := len(p.text) - len(strings.TrimLeft(p.text, " "))
	if indent <= at || p.text == "" || p.text[indent] == '\n' {
		return nil, false
	}
	var b strings.Builder
	blank := 0
	for p.text != "" {
		line := p.text[:strings.IndexByte(p.text, '\n')]
		has := len(line) - len(strings.TrimLeft(line, " "))
		if has < indent && has < len(line) {
			break
		}
		p.text = p.text[len(line)+1:]
		if len(line) <= indent {
			blank++
			continue
		}
		if b.Len() > 0 {
			blank++
		}
		for ; blank > 0; blank-- {
			b.WriteByte('\n')
		}
		b.WriteString(line[indent:])
	}
	if head == "|" {
		b.WriteByte('\n')
	}
	p.next()
	return b.String(), p.indent <= at
}

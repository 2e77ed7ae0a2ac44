package engine_test

import "strings"

// templates are what charts write, and what they should not.
func templates() []string {
	blocks := `
plain text
---
{{ .Values.a }}
---
{{ .Values.a.b }} {{ .Values.a.list }} {{ .Values.none }} {{ .Values.a.nothing }} {{ .Values.a.empty }} {{ .Values.a.float }} {{ .Values.a.yes }}
---
{{ .Values.none.more }}
---
{{ .Values.a.list.x }}
---
{{ $ }}
---
{{ .Chart }} {{ .Chart.Keywords }} {{ .Chart.Maintainers }} {{ .Chart.IsRoot }} {{ .Chart.AppVersion }} {{ .Chart.Type }} {{ .Release }} {{ .Subcharts.db.Values.size }}
---
{{ .Capabilities.KubeVersion }} {{ .Capabilities.KubeVersion.Major }} {{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.HelmVersion.Version }}
---
{{ .Capabilities.APIVersions | len }} {{ .Capabilities | toJson | len }}
---
{{ .Files }}
---
{{ .Files.Get "files/a.txt" }}{{ .Files.GetBytes "files/b.json" }}{{ .Files.Lines "files/a.txt" }}{{ .Files.Get "none" }}{{ .Files.Lines "none" }}
---
{{ (.Files.Glob "files/*").AsConfig | indent 2 }}{{ (.Files.Glob "files/**.json").AsSecrets }}{{ range $n, $c := .Files.Glob "**.txt" }}{{ $n }}={{ $c | toString }}{{ end }}
---
{{ range $i, $x := .Values.a.list }}{{ $i }}:{{ $x }}{{ else }}none{{ end }}{{ range .Values.none }}x{{ else }}none{{ end }}{{ range 3 }}{{ . }}{{ end }}{{ range $k, $v := .Values.a }}{{ $k }}={{ $v }};{{ end }}
---
{{ range until 5 }}{{ if eq . 1 }}{{ continue }}{{ end }}{{ if eq . 3 }}{{ break }}{{ end }}{{ . }}{{ end }}{{ range until 0 }}{{ else }}-{{ end }}
---
{{ with .Values.a.b }}{{ .c }}{{ else with .Values.none }}x{{ else }}y{{ end }}{{ with $x := 3 }}{{ $x }}{{ end }}{{ if and .Values.a.yes (or .Values.none true) }}yes{{ else if false }}no{{ end }}
---
{{ $x := .Values.a.b }}{{ $x.c }}{{ $x = dict "y" 1 }}{{ $x }}{{ $x | toYaml | nindent 4 }}
---
{{ include "name" . }} {{ include "labels" . | nindent 2 }} {{ include "blank" . | quote }} {{ include "again" 7 }} {{ include "lib.x" . }} {{ template "calls" . }}
---
{{ include "forever" . }}
---
{{ define "loop" }}{{ template "loop" . }}{{ end }}{{ template "loop" . }}
---
{{ include "missing" . }}
---
{{ template "missing" . }}
---
{{ include (print $.Template.BasePath "/sub/y.yaml") . | sha256sum }} {{ include (print .Template.BasePath "/sub/y.yaml") . }}
---
{{ template "web/templates/sub/y.yaml" . }}{{ block "blk" .Values.a.b }}{{ .c }}{{ end }}
---
{{ tpl .Values.tpl . }}{{ tpl .Values.deep . }}{{ tpl .Values.defines . }}{{ tpl "plain <no value>" . }}{{ tpl "{{ .Values.none }}" . }}{{ tpl "" . }}{{ tpl "  " . }}
---
{{ tpl "{{ include \"name\" . }} {{ .Template.Name }}{{ range until 3 }}{{ . }}{{ end }}" . }}{{ tpl "{{ tpl .Values.tpl . }}" . }}
---
{{ tpl "{{ define \"name\" }}other{{ end }}{{ include \"name\" . }}" . }}{{ include "name" . }}{{ tpl "{{ define \"name\" }} {{ end }}{{ include \"name\" . }}" . }}
---
{{ tpl "{{ nope }}" . }}
---
{{ tpl "{{ .x.y.z }}" . }}
---
{{ tpl "{{ fail \"inside\" }}" . }}
---
{{ tpl .Values.a . }}
---
{{ required "needs x" .Values.none }}
---
{{ required "needs x" "" }}
---
{{ required "fine" .Values.a.text }}{{ required "fine" false }}{{ required "fine" 0 }}
---
{{ fail "on purpose" }}
---
{{ lookup "v1" "Pod" "" "" }}{{ (lookup "v1" "Pod" "ns" "x").items }}{{ getHostByName "example.com" }}|
---
{{ env "HOME" }}
---
{{ toYaml .Values.a }}|{{ toYamlPretty .Values.a }}|{{ toJson .Values.a }}|{{ toPrettyJson .Values.a }}|{{ toRawJson .Values.a }}|{{ toToml .Values.a.b }}|{{ mustToYaml .Values.a.b }}|{{ mustToJson .Values.a.b }}|{{ mustToToml .Values.a.b }}
---
{{ fromYaml "a: [1, 2]" }}{{ fromYaml "a: [" }}{{ fromYaml "- 1" }}{{ fromYamlArray "[1, a]" }}{{ fromYamlArray "a: b" }}{{ fromJson "{\"a\": 1}" }}{{ fromJson "{" }}{{ fromJsonArray "[1]" }}{{ fromJsonArray "{" }}{{ fromToml "a = 1" }}{{ fromToml "a =" }}{{ fromYaml "" }}{{ fromJson "null" }}
---
{{ toYaml .Files }}{{ toJson .Files }}{{ toYaml "text" }}{{ toYaml nil }}{{ toJson nil }}{{ toToml "x" }}{{ toYaml "a\nb\n" }}
---
{{ mustToJson (dict "f" .Capabilities.APIVersions) | len }}
---
{{ repeat 3 "ab" }}{{ "x" | repeat 2 }}{{ indent 2 "a\nb" }}{{ nindent 3 "a\nb\n" }}{{ replace "a" "bb" "banana" }}{{ replace "" "-" "abc" }}{{ "a" | indent 0 }}{{ wrap 5 "hello wide world" }}{{ wrapWith 4 "|" "hello wide world" }}
---
{{ repeat -1 "x" }}
---
{{ indent -1 "x" }}
---
{{ join "," .Values.a.list }}{{ join "-" (list 1 "a" nil true) }}{{ join "," "x" }}{{ sortAlpha (list "c" "a" 1) }}{{ toStrings (list 1 2.5 nil) }}{{ splitList "," "a,b" }}{{ (split "$" "a$b")._1 }}{{ (splitn "$" 2 "a$b$c")._1 }}{{ splitList "" "abc" }}
---
{{ printf "%s-%d-%v-%q-%5.2f-%05d-%x|%[1]s" "a" 1 .Values.a.b "q" 2.5 42 "hex" }}{{ printf "%*d" 5 1 }}{{ printf "%d" "x" }}{{ printf "%!" }}{{ printf "%" }}{{ print 1 2 "a" "b" 3 }}{{ println "x" nil }}{{ html "<a>" }}{{ js "'x'" }}{{ urlquery "a b" nil }}
---
{{ seq 5 }}|{{ seq 2 5 }}|{{ seq 1 2 9 }}|{{ seq 5 1 }}|{{ seq 9 -3 0 }}|{{ seq 0 }}|{{ seq }}|{{ seq 1 2 3 4 }}|{{ seq 5 1 1 }}|{{ seq 1 -1 5 }}|{{ seq 3 3 }}|{{ until 4 }}{{ until -3 }}{{ until 0 }}{{ untilStep 0 10 3 }}{{ untilStep 5 0 -2 }}{{ untilStep 0 5 -1 }}{{ untilStep 0 5 0 }}{{ untilStep 3 3 1 }}
---
{{ list 1 2 | append 3 }}
---
{{ append (list 1 2) 3 }}{{ prepend (list 1) 0 }}{{ concat (list 1) (list 2 3) }}{{ first (list 1 2) }}{{ last (list 1 2) }}{{ rest (list 1 2) }}{{ initial (list 1 2) }}{{ reverse (list 1 2) }}{{ uniq (list 1 1 2) }}{{ without (list 1 2) 1 }}{{ has 1 (list 1) }}{{ compact (list 1 0 "") }}{{ slice (list 1 2 3) 1 2 }}{{ chunk 2 (list 1 2 3) }}{{ mustAppend (list) 1 }}{{ index (list 1 2) 1 }}{{ first (list) }}
---
{{ concat "x" (list 1) }}
---
{{ append "x" 1 }}
---
{{ $d := dict "a" 1 "b" (dict "c" 2) }}{{ $_ := set $d "z" 9 }}{{ $d }}{{ unset $d "a" }}{{ hasKey $d "a" }}{{ get $d "z" }}{{ keys $d | sortAlpha }}{{ values (dict "x" 1) }}{{ pick $d "z" }}{{ omit $d "z" }}{{ pluck "z" $d $d }}{{ merge (dict "a" 1) (dict "a" 2 "b" 3) }}{{ mergeOverwrite (dict "a" 1) (dict "a" 2) }}{{ dig "b" "c" "no" $d }}{{ dig "b" "x" "no" $d }}{{ deepCopy $d }}{{ dict "a" }}{{ mustMerge (dict "a" (dict "b" 1)) (dict "a" (dict "c" 2)) }}
---
{{ $_ := set .Values "added" "yes" }}{{ .Values.added }}{{ $_ := set . "top" 1 }}{{ .top }}
---
{{ merge .Values.a (dict "new" 1) | toYaml }}{{ set .Values.a "cycle" .Values.a | len }}
---
{{ $d := dict }}{{ $_ := set $d "self" $d }}{{ toYaml $d }}|{{ toJson $d }}|
---
{{ default 1 .Values.none }}{{ default "x" "" }}{{ empty .Values.a.empty }}{{ coalesce nil "" 3 }}{{ ternary 1 2 true }}{{ all 1 2 }}{{ any 0 1 }}{{ "x" | default 3 }}{{ kindOf .Values.a }}{{ typeOf .Values.a }}{{ typeOf .Values }}{{ typeOf .Files }}{{ kindIs "map" .Values.a }}{{ typeOf .Values.a.list }}{{ kindOf nil }}{{ deepEqual (list 1) (list 1) }}
---
{{ regexMatch "a+" "caab" }}{{ regexMatch "(" "x" }}{{ regexFind "a+" "caab" }}{{ regexFindAll "a" "banana" -1 }}{{ regexFindAll "a" "banana" 2 }}{{ regexReplaceAll "a(n)" "banana" "<${1}$1>" }}{{ regexReplaceAllLiteral "a" "banana" "$1" }}{{ regexSplit "n" "banana" -1 }}{{ regexSplit "n" "banana" 2 }}{{ mustRegexMatch "^b" "banana" }}{{ regexQuoteMeta "a.b" }}{{ regexReplaceAll "" "abc" "-" }}
---
{{ regexFind "(" "x" }}
---
{{ mustRegexReplaceAll "(" "x" "y" }}
---
{{ add 1 2 3 }}{{ sub 5 2 }}{{ mul 2 3 }}{{ div 7 2 }}{{ mod 7 2 }}{{ max 1 5 2 }}{{ min 1 5 }}{{ floor 1.7 }}{{ ceil 1.2 }}{{ round 1.256 2 }}{{ add1 1 }}{{ addf 1.5 2 }}{{ int "7" }}{{ int64 3.9 }}{{ float64 "1.5" }}{{ atoi "5" }}{{ toDecimal "0777" }}{{ biggest 1 2 }}
---
{{ div 1 0 }}
---
{{ upper "a" }}{{ title "a b" }}{{ trunc 3 "hello" }}{{ trunc -2 "hello" }}{{ abbrev 5 "hello world" }}{{ substr 1 3 "hello" }}{{ nospace "a b" }}{{ camelcase "a_b" }}{{ snakecase "aB" }}{{ kebabcase "aB" }}{{ initials "a b" }}{{ plural "one" "many" 2 }}{{ cat 1 nil "a" }}{{ quote 1 "a" nil }}{{ squote "a" }}{{ b64enc "x" }}{{ b64dec "eA==" }}{{ b32enc "x" }}{{ trimAll "-" "-a-" }}{{ trimSuffix "b" "ab" }}{{ contains "a" "ab" }}{{ swapcase "aB" }}{{ untitle "AB" }}{{ sha1sum "x" }}{{ adler32sum "x" }}{{ toString 1.0 }}{{ 1000000.0 }}{{ 1e21 }}
---
{{ semver "1.2.3" }}{{ (semver "1.2.3").Minor }}{{ semverCompare ">=1.0" "1.2" }}{{ base "a/b" }}{{ dir "a/b" }}{{ ext "a.b" }}{{ urlParse "http://u@h/p?q" }}{{ urlJoin (dict "scheme" "http" "host" "h" "path" "/p") }}{{ date "2006" (toDate "2006-01-02" "2020-01-02") }}{{ durationRound "2h10m5s" }}{{ duration 95 }}
---
{{ semver "x" }}
---
{{ nope }}
---
{{ if }}
---
{{ range
---
{{ causewayPrint 1 }}
---
{{ .Release.Name.x }}
---
{{ index .Values.a.list 9 }}
---
{{ index .Values.none "x" }}
---
{{ len 3 }}
---
{{ call .Values.a }}
---
{{ "a" | 3 }}
---
{{- /* a comment {{ if }} */ -}} after {{/* x */}}
---
{{- if true }}
a: {{ .Values.none }}<no value>{{ .Values.none }}
{{- end }}
---
{{ "{{" }} {{ ` + "`raw {{ }}`" + ` }} {{ '\'' }} {{ nil | default "x" }}
---
{{ $a := list }}{{ range until 5 }}{{ $a = append $a . }}{{ end }}{{ $a }}{{ range $a }}{{ template "calls" $ }}{{ end }}
---
{{ print (not true) (and 1 0) (or 0 2) (eq 1 1 2) (ne 1 2) (lt 1 2) (le "a" "b") (gt 2.5 1.5) (ge 1 1) }}
---
{{ eq .Values.a .Values.a }}
{{ .Values.Format }}|{{ if .Values.a.Format }}x{{ end }}{{ with .Values.Glob }}x{{ end }}|{{ .Values.a.YAML }}|{{ .Values.none.YAML }}
{{ .Values.YAML }}{{ len .YAML | lt 10 }}{{ $v := .Values }}{{ $v.YAML | len }}{{ (.Values).YAML | trim }}{{ if .Values.YAML }}x{{ end }}
{{ now.Format "x" }}{{ (toDate "2006" "2020").Format "2006 x" }}
{{ .Values.none.YAML }}
{{ $_ := set .Values "YAML" (dict "b" 1) }}{{ .Values.YAML }}
---
{{ .Values.a.text | trunc 5 | upper | quote | indent 2 }}{{ (.Values.a).b.c }}{{ (index .Values.a.list 2).x }}{{ $.Values.a.b.c }}
---
{{ define "web/templates/x.yaml" }}self{{ end }}
---
{{ define "labels" }}mine{{ end }}{{ include "labels" . }}
---
{{ define "name" }}{{ end }}{{ include "name" . }}
---
{{ dict "a" 1 | toYaml | fromYaml | toJson }}{{ .Values.a | toYaml | fromYaml | toYaml | sha256sum }}
---
{{ now | kindOf }}{{ uuidv4 | len }}{{ randAlphaNum 10 | len }}{{ randInt 1 2 }}{{ genPrivateKey "ed25519" | len }}{{ (genSelfSignedCert "x" nil nil 1).Cert | kindOf }}{{ htpasswd "a" "b" | kindOf }}{{ randBytes 3 | len }}
---
{{ genSelfSignedCert "x" 1 }}
---
{{ range $k, $v := dict "b" 1 "a" 2 }}{{ $k }}{{ $v }}{{ end }}{{ range $x := "text" }}{{ $x }}{{ end }}
---
{{ range 2.5 }}x{{ end }}
---
{{ with $y := .Values.a }}{{ $y.text }}{{ end }}{{ $y }}
---
{{ .Values.a.text.more }}
---
{{ mustToDate "2006" "x" }}
---
{{ mustFromJson "{" }}
---
{{ toJson (list (dict "a" (list)) 1.0 10000000 1e100 "é<>&") }}{{ toYaml (list (dict "a" (list)) 1.0 10000000 "on" "1" "é" "a: b" " x ") }}
---
{{ keys (dict "a" 1) "x" }}
---
{{ hello }}{{ trimall "a" "aba" }}{{ tuple 1 2 }}{{ osBase "/a/b" }}{{ isAbs "/a" }}`
	return strings.Split(blocks, "\n---\n")
}

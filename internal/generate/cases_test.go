package generate

var listCases = map[string]expansion{
	"list fast": {
		reason: "texts are substituted, values is one level deep",
		spec:   replaced(fast("generators: [{list: {elements: [{app: one, values: {k: x}}, {app: two}]}}]"), "{{v}}", "{{values.k}}-{{ nope }}"),
		want:   []string{"one=x-{{ nope }}", "two={{values.k}}-{{ nope }}"},
	},
	"list fast number": {
		reason: "a value that is no text is an error, so that nobody wonders about 1e+06",
		spec:   fast("generators: [{list: {elements: [{app: one, v: 3}]}}]"), wantErr: `"v" is 3, which is no text`,
	},
	"list fast values text": {
		reason: "values must be a map", spec: fast("generators: [{list: {elements: [{app: one, values: x}]}}]"), wantErr: "values is string",
	},
	"list go": {
		reason: "structure and types are kept; numbers are floats",
		spec:   replaced(goMode("generators: [{list: {elements: [{app: one, m: {l: [a, b]}, num: 1000000}]}}]"), "{{.v}}", "{{index .m.l 1}}{{.num}}"),
		want:   []string{"one=b1e+06"},
	},
	"list empty element": {
		reason: "without parameters nothing is rendered, and the name is refused",
		spec:   fast("generators: [{list: {elements: [{}]}}]"), rejected: []string{"{{app}}:apiserver"},
	},
	"list elementsYaml": {
		reason: "it is appended, and not checked for texts",
		spec:   fast("generators: [{list: {elements: [{app: one, v: a}], elementsYaml: '[{app: two, v: 3}]'}}]"),
		want:   []string{"one=a", "two={{v}}"},
	},
	"list elementsYaml map": {
		reason: "it must be a list", spec: fast("generators: [{list: {elements: [], elementsYaml: 'app: x'}}]"), wantErr: "elementsYaml as a list",
	},
	"list two kinds in one entry": {
		reason: "each counts", spec: replaced(fast("generators: [{list: {elements: [{app: one}]}, clusters: {selector: {matchLabels: {env: prod}}, values: {}}}]"), "{{app}}", "a{{app}}{{name}}"),
		rejected: []string{"aone{{name}}:apiserver", "a{{app}}prod:apiserver"},
	},
	"list selector": {
		reason: "it works on flattened parameters, with any text as value",
		spec:   goMode("generators: [{list: {elements: [{app: one, v: 'https://a/?'}, {app: two, m: {k: 3}, v: ''}]}, selector: {matchExpressions: [{key: m.k, operator: In, values: ['3']}]}}]"),
		want:   []string{"two="},
	},
	"list selector absent": {
		reason: "NotIn and DoesNotExist take sets without the key",
		spec:   fast("generators: [{list: {elements: [{app: one, v: a}, {app: two, v: b, x: b}]}, selector: {matchExpressions: [{key: x, operator: NotIn, values: [b]}, {key: y, operator: DoesNotExist}, {key: v, operator: Exists}]}}]"),
		want:   []string{"one=a"},
	},
	"list selector key": {
		reason: "keys must be label keys", spec: fast("generators: [{list: {elements: [{app: one}]}, selector: {matchLabels: {'path[0]': x}}}]"), wantErr: `key "path[0]"`,
	},
	"list selector operator": {
		reason: "an unknown operator is told", spec: fast("generators: [{list: {elements: [{app: one}]}, selector: {matchExpressions: [{key: app, operator: Is}]}}]"), wantErr: `unknown operator "Is"`,
	},
	"error in one generator": {
		reason:  "it fails the whole set",
		spec:    fast("generators: [{list: {elements: [{app: one}]}}, {list: {elements: [{app: two, v: true}]}}]"),
		wantErr: "generator 2: ",
	},
	"not supported yet": {
		reason:  "it is told, not ignored: an empty result would delete Applications",
		spec:    fast("generators: [{plugin: {configMapRef: {name: x}}}]"),
		wantErr: "there is no access to ConfigMaps and Secrets; run it on a hub",
	},
}

var clusterCases = map[string]expansion{
	"clusters all": {
		reason: "the hub without a Secret is there when nothing is selected, and has no metadata",
		spec:   replaced(fast("generators: [{clusters: {}}]"), "{{app}}", "{{nameNormalized}}", "{{v}}", "{{server}} {{metadata.labels.env}} {{project}}"),
		want:   []string{"dev-eu=https://dev.example.com dev team", "in-cluster=https://kubernetes.default.svc {{metadata.labels.env}} ", "prod=https://prod.example.com prod "},
	},
	"clusters selected": {
		reason: "every Secret has the secret-type label; the hub has none",
		spec:   replaced(fast("generators: [{clusters: {selector: {matchLabels: {argocd.argoproj.io/secret-type: cluster}}}}]"), "{{app}}", "{{nameNormalized}}", "{{v}}", ""),
		want:   []string{"dev-eu=", "prod="},
	},
	"clusters bad selector": {
		reason: "a value that is no label value is an error", spec: fast("generators: [{clusters: {selector: {matchLabels: {env: '{{x}}'}}}}]"), wantErr: "selector of the clusters generator",
	},
	"clusters bookkeeping": {
		reason: "annotations of the engine's own are no parameters",
		spec:   replaced(fast("generators: [{clusters: {selector: {matchLabels: {env: dev}}}}]"), "{{app}}", "x", "{{v}}", "{{metadata.annotations.owner}} {{metadata.annotations.argocd.argoproj.io/refresh}}"),
		want:   []string{"x=a {{metadata.annotations.argocd.argoproj.io/refresh}}"},
	},
	"clusters values": {
		reason: "they see the cluster, but not one another",
		spec:   replaced(fast("generators: [{clusters: {selector: {matchLabels: {env: dev}}, values: {a: '{{name}}', b: '{{values.a}}'}}}]"), "{{app}}", "x", "{{v}}", "{{values.a}} {{values.b}}"),
		want:   []string{"x=Dev_EU {{values.a}}"},
	},
	"clusters go": {
		reason: "metadata is nested; labels are a map of texts, so index of a missing one is empty",
		spec:   replaced(goMode("generators: [{clusters: {selector: {matchLabels: {env: dev}}}}]"), "{{.app}}", "x", "{{.v}}", `{{index .metadata.labels "example.com/tier"}}[{{index .metadata.labels "nope"}}]`),
		want:   []string{"x=low[]"},
	},
	"clusters go without annotations": {
		reason: "the map is absent, not empty", wantErr: `no entry for key "annotations"`,
		spec: replaced(goMode("goTemplateOptions: [missingkey=error]\ngenerators: [{clusters: {selector: {matchLabels: {env: prod}}}}]"), "{{.app}}", "x", "{{.v}}", "{{.metadata.annotations}}"),
	},
	"clusters flatList": {
		reason: "one set, also when no cluster matches",
		spec:   replaced(goMode("generators: [{clusters: {flatList: true, selector: {matchLabels: {env: none}}}}]"), "{{.app}}", "x", "{{.v}}", "{{len .clusters}}"),
		want:   []string{"x=0"},
	},
}

const gitHead = "repoURL: https://git.example.com/repo, revision: HEAD"

var gitCases = map[string]expansion{
	"git directories": {
		reason: "one level, no files, nothing hidden, exclude wins",
		spec:   replaced(fast("generators: [{git: {"+gitHead+", directories: [{path: apps/db_1, exclude: true}, {path: 'apps/*'}, {path: 'app[s]/*'}, {path: '['}]}}]"), "{{app}}", "{{path.basenameNormalized}}", "{{v}}", "{{path}} {{path[0]}} {{path[2]}}"),
		want:   []string{"web=apps/web apps {{path[2]}}"},
	},
	"git directories doublestar": {
		reason: "** is *", spec: replaced(fast("generators: [{git: {"+gitHead+", directories: [{path: '**/web'}]}}]"), "{{app}}", "x", "{{v}}", "{{path}}"),
		want: []string{"x=apps/web"},
	},
	"git directories hidden": {
		reason: "a hidden folder cannot be named either", spec: fast("generators: [{git: {" + gitHead + ", directories: [{path: apps/.hidden}]}}]"),
	},
	"git directories go prefix": {
		reason: "with a prefix there is no path at the top",
		spec:   replaced(goMode("generators: [{git: {"+gitHead+", pathParamPrefix: src, directories: [{path: apps/db_1}], values: {p: '{{.src.path.path}}'}}}]"), "{{.app}}", "{{.src.path.basenameNormalized}}", "{{.v}}", "{{.values.p}} {{len .src.path.segments}} {{.path}}"),
		want:   []string{"db-1=apps/db_1 2 <no value>"},
	},
	"git files": {
		reason: "content is flattened, YAML 1.1 holds, * crosses folders",
		spec:   replaced(fast("generators: [{git: {"+gitHead+", files: [{path: 'envs/*.yaml'}]}}]"), "{{v}}", "{{num}} {{nested.a.0}} {{false}} {{path}} {{path.filename}}"),
		want:   []string{"one=1e+06 x true envs/dev one.yaml"},
	},
	"git files list": {
		reason: "each map of a list is a set; only the first document counts",
		spec:   replaced(goMode("generators: [{git: {"+gitHead+", files: [{path: lists}]}}]"), "{{.v}}", "{{.path.filenameNormalized}}"),
		want:   []string{"first=docs.yaml", "p=many.yaml", "q=many.yaml"},
	},
	"git files sorted": {
		reason: "what is sorted is a copy of the parameter",
		spec:   replaced(goMode("generators: [{git: {"+gitHead+", files: [{path: envs/dev/one.yaml}]}}]"), "{{.v}}", "{{first (sortAlpha .path.segments)}} {{first .path.segments}}"),
		want:   []string{"one=dev envs"},
	},
	"git files exclude": {
		reason: "exclude wins in any order; values replace those of the file",
		spec:   replaced(goMode("generators: [{git: {"+gitHead+", files: [{path: envs/dev, exclude: true}, {path: envs}], values: {w: x}}}]"), "{{.v}}", "{{.values.w}}{{.values.v}}"),
		want:   []string{"two=x<no value>"},
	},
	"git files empty": {
		reason: "an empty file is one set, and lies in the folder .",
		spec:   replaced(fast("generators: [{git: {"+gitHead+", files: [{path: empty.yaml}]}}]"), "{{app}}", "x", "{{v}}", "{{path}}[{{path.basenameNormalized}}]"),
		want:   []string{"x=.[]"},
	},
	"git files text": {
		reason: "the error says where", spec: fast("generators: [{git: {" + gitHead + ", files: [{path: bad/*}]}}]"),
		wantErr: "bad/text.yaml",
	},
	"git files outside": {
		reason: "a path cannot leave the repository", spec: fast("generators: [{git: {" + gitHead + ", files: [{path: ../x}]}}]"), wantErr: "outside of the repository",
	},
	"git no items": {
		reason: "it would silently give nothing", spec: fast("generators: [{git: {" + gitHead + "}}]"), wantErr: "neither directories nor files",
	},
	"git unknown repository": {
		reason: "it must not look empty", spec: fast("generators: [{git: {repoURL: https://git.example.com/gone, revision: x, files: [{path: a}]}}]"), wantErr: "cannot read repository https://git.example.com/gone",
	},
	"git project": {
		reason: "the project of the template is looked up before reading", wantErr: `project "ghost"`,
		spec: replaced(fast("generators: [{git: {"+gitHead+", files: [{path: lists}]}}]"), "project: default", "project: ghost"),
	},
	"git templated project": {
		reason:   "a templated project is only checked for each Application",
		spec:     replaced(fast("generators: [{git: {"+gitHead+", files: [{path: lists}]}}]"), "project: default", "project: '{{app}}'"),
		rejected: []string{"first:validation", "p:validation", "q:validation"},
	},
}

var matrixCases = map[string]expansion{
	"matrix": {
		reason: "the second is rendered with the first",
		spec:   replaced(fast("generators: [{matrix: {generators: [{clusters: {selector: {matchLabels: {env: dev}}}}, {git: {"+gitHead+", files: [{path: 'envs/{{metadata.labels.env}}'}]}}]}}]"), "{{v}}", "{{name}}"),
		want:   []string{"one=Dev_EU"},
	},
	"matrix fast conflict": {
		reason: "one key with two values is an error", wantErr: `"k" has two values (k="x" and k="z"); rename one`,
		spec: fast("generators: [{matrix: {generators: [{list: {elements: [{app: a, k: x}]}}, {list: {elements: [{k: z}]}}]}}]"),
	},
	"matrix go conflict": {
		reason: "the first wins, also with an empty value; maps are merged",
		spec:   replaced(goMode("generators: [{matrix: {generators: [{list: {elements: [{app: a, k: '', m: {x: 1}}]}}, {list: {elements: [{k: y, m: {x: 2, z: 3}}]}}]}}]"), "{{.v}}", "[{{.k}}]{{.m.x}}{{.m.z}}"),
		want:   []string{"a=[]13"},
	},
	"matrix three": {
		reason: "exactly two", spec: fast("generators: [{matrix: {generators: [{list: {elements: []}}, {list: {elements: []}}, {list: {elements: []}}]}}]"), wantErr: "exactly two",
	},
	"matrix empty child": {
		reason: "a child without a kind is an error", spec: fast("generators: [{matrix: {generators: [{}, {list: {elements: []}}]}}]"), wantErr: "exactly one",
	},
	"matrix values": {
		reason: "values of the second see the first child, or wait for their own cluster",
		spec:   replaced(goMode("generators: [{matrix: {generators: [{list: {elements: [{app: a}]}}, {clusters: {selector: {matchLabels: {env: prod}}, values: {x: '{{.app}}', w: '{{.name}}', z: '{{.app}}{{.name}}'}}}]}}]"), "{{.v}}", "{{.values.x}} {{.values.w}} {{.values.z}}"),
		want:   []string{"a=a prod <no value>prod"},
	},
	"matrix child selector": {
		reason: "it is never rendered", spec: fast("generators: [{matrix: {generators: [{list: {elements: [{app: a}]}}, {list: {elements: [{v: a}]}, selector: {matchLabels: {v: '{{app}}'}}}]}}]"),
	},
	"matrix nested": {
		reason: "one level of a matrix or merge in another",
		spec:   fast("generators: [{matrix: {generators: [{merge: {mergeKeys: [k], generators: [{list: {elements: [{k: a, v: base}]}}, {list: {elements: [{k: a, v: over}]}}]}}, {list: {elements: [{app: '{{k}}'}]}}]}}]"),
		want:   []string{"a=over"},
	},
	"matrix nested twice": {
		reason: "not two levels", wantErr: "exactly one",
		spec: fast("generators: [{matrix: {generators: [{matrix: {generators: [{matrix: {generators: []}}, {list: {elements: []}}]}}, {list: {elements: []}}]}}]"),
	},
	"matrix elementsYaml": {
		reason: "it is rendered with the first child",
		spec:   replaced(goMode("generators: [{matrix: {generators: [{list: {elements: [{items: [{app: x}, {app: z}]}]}}, {list: {elements: [], elementsYaml: '{{ .items | toJson }}'}}]}}]"), "{{.v}}", "1"),
		want:   []string{"x=1", "z=1"},
	},
	"matrix too many": {
		reason: "an expansion is bounded", wantErr: "more than 20000 Applications",
		spec: goMode("generators: [{matrix: {generators: [{list: {elements: [], elementsYaml: '[{a: 1}" + repeated(", {a: 1}", 400) + "]'}}, {list: {elements: [], elementsYaml: '[{b: 1}" + repeated(", {b: 1}", 400) + "]'}}]}}]"),
	},
}

var mergeCases = map[string]expansion{
	"merge fast": {
		reason: "later wins, an unmatched override is dropped, an empty text overrides",
		spec:   replaced(fast("generators: [{merge: {mergeKeys: [app, app], generators: [{list: {elements: [{app: a, v: x, w: q}, {app: b, v: x, w: ''}]}}, {list: {elements: [{app: a, v: ''}, {app: z, v: q}]}}, {list: {elements: [{app: a, w: last}]}}]}}]"), "{{v}}", "[{{v}}]{{w}}"),
		want:   []string{"a=[]last", "b=[x]"},
	},
	"merge go": {
		reason: "maps are merged deeply, lists and null override",
		spec:   replaced(goMode("generators: [{merge: {mergeKeys: [app], generators: [{list: {elements: [{app: a, m: {x: 1, z: 1, l: [1]}}]}}, {list: {elements: [{app: a, m: {z: null, l: [2]}}]}}]}}]"), "{{.v}}", "{{.m | toJson}}"),
		want:   []string{`a={"l":[2],"x":1,"z":null}`},
	},
	"merge free values into texts": {
		reason: "values of a generator hold texts only", wantErr: "map of any values into a map of texts",
		spec: goMode("generators: [{merge: {mergeKeys: [server], generators: [{clusters: {values: {x: '1'}}}, {list: {elements: [{server: https://prod.example.com, values: {x: 2}}]}}]}}]"),
	},
	"merge texts into free values": {
		reason: "the other way round works",
		spec:   replaced(goMode("generators: [{merge: {mergeKeys: [server], generators: [{list: {elements: [{server: https://prod.example.com, values: {x: 2, z: 3}}]}}, {clusters: {values: {x: '1'}}}]}}]"), "{{.app}}", "a", "{{.v}}", "{{.values.x}}{{.values.z}}"),
		want:   []string{"a=13"},
	},
	"merge not unique": {
		reason: "a key that both lack counts as null", wantErr: "make them unique",
		spec: goMode("generators: [{merge: {mergeKeys: [metadata.labels.env], generators: [{clusters: {}}, {list: {elements: []}}]}}]"),
	},
	"merge key type": {
		reason: "1 is not \"1\"", want: []string{"1=base"},
		spec: goMode("generators: [{merge: {mergeKeys: [app], generators: [{list: {elements: [{app: 1, v: base}]}}, {list: {elements: [{app: '1', v: over}]}}]}}]"),
	},
	"merge one": {
		reason: "two or more", spec: fast("generators: [{merge: {mergeKeys: [a], generators: [{list: {elements: []}}]}}]"), wantErr: "two or more",
	},
	"merge no keys": {
		reason: "at least one key", spec: fast("generators: [{merge: {mergeKeys: [], generators: [{list: {elements: []}}, {list: {elements: []}}]}}]"), wantErr: "without mergeKeys",
	},
}

var templateCases = map[string]expansion{
	"fast lines": {
		reason: "a text is a template only when a line of it has both braces",
		spec:   replaced(fast("generators: [{list: {elements: [{app: a, v: x}]}}]"), "'{{v}}'", `"{{\nv\n}}"`),
		want:   []string{"a={{\nv\n}}"},
	},
	"fast unclosed": {
		reason: "an unclosed brace after a whole pair is an error that names the field", wantErr: "metadata.annotations.v: ",
		spec: replaced(fast("generators: [{list: {elements: [{app: a, v: x}]}}]"), "{{v}}", "{{v}} {{v"),
	},
	"go values are not expanded twice": {
		reason: "a parameter is never a template", spec: goMode("generators: [{list: {elements: [{app: a, v: '{{.app}}'}]}}]"),
		want: []string{"a={{.app}}"},
	},
	"go unknown option": {
		reason: "it is told", spec: goMode("goTemplateOptions: [nonsense]\ngenerators: [{list: {elements: [{app: a}]}}]"), wantErr: `goTemplateOptions entry "nonsense"`,
	},
	"go no environment": {
		reason: "templates cannot see the engine's environment", wantErr: `function "env" not defined`,
		spec: replaced(goMode("generators: [{list: {elements: [{app: a}]}}]"), "{{.v}}", `{{env "HOME"}}`),
	},
	"go functions": {
		reason: "normalize, slugify, toYaml, fromYaml, fromYamlArray",
		spec:   replaced(goMode("generators: [{list: {elements: [{app: a, v: 'My_App Name!', l: [x, z]}]}}]"), "{{.v}}", `{{normalize .v}} {{slugify 6 .v}} {{slugify 4 false .v}} {{(fromYaml "k: 1").k}} {{index (fromYamlArray "[q]") 0}} {{toYaml .l}}`),
		want:   []string{"a=my-app-name my-app my-a 1 q - x\n- z"},
	},
	"go endless loop": {
		reason: "loops are bounded", wantErr: "too many steps",
		spec: replaced(goMode("generators: [{list: {elements: [{app: a}]}}]"), "{{.v}}", "{{range 1000000000000}}{{end}}"),
	},
	"go recursion": {
		reason: "templates that call one another are bounded", wantErr: "too many steps",
		spec: replaced(goMode("generators: [{list: {elements: [{app: a}]}}]"), "{{.v}}", `{{define "t"}}{{if gt . 0}}{{template "t" (sub . 1)}}{{template "t" (sub . 1)}}{{end}}{{end}}{{template "t" 50}}`),
	},
	"go doubling": {
		reason: "a text cannot grow without end", wantErr: "too large",
		spec: replaced(goMode("generators: [{list: {elements: [{app: a}]}}]"), "{{.v}}", `{{$s := "xx"}}{{range until 60}}{{$s = cat $s $s}}{{end}}`),
	},
	"go repeat": {
		reason: "nor at once", wantErr: "too large",
		spec: replaced(goMode("generators: [{list: {elements: [{app: a}]}}]"), "{{.v}}", `{{repeat 1000000000 "x"}}`),
	},
	"go cycle": {
		reason: "printing a map that contains itself would end the process", wantErr: "contains itself",
		spec: replaced(goMode("generators: [{list: {elements: [{app: a}]}}]"), "{{.v}}", `{{$d := dict}}{{$_ := set $d "a" $d}}{{$d}}`),
	},
	"go doubling map": {
		reason: "nor one that doubles at each level", wantErr: "the result is too large",
		spec: replaced(goMode("generators: [{list: {elements: [{app: a}]}}]"), "{{.v}}", `{{$d := dict}}{{range until 60}}{{$d = dict "a" $d "b" $d}}{{end}}{{$d | toJson}}`),
	},
	"override": {
		reason: "empty fields of the generator's template do not win, maps are joined",
		spec:   fast("generators: [{list: {elements: [{app: a}], template: {metadata: {annotations: {v: own}}, spec: {project: '', destination: {}}}}}]"),
		want:   []string{"a=own"},
	},
	"patch": {
		reason: "it may add, but not move to another project or namespace",
		spec:   fast("generators: [{list: {elements: [{app: a, v: x}]}}]\ntemplatePatch: '{\"metadata\":{\"namespace\":\"evil\",\"annotations\":{\"v\":\"p-{{v}}\"}},\"spec\":{\"project\":\"ghost\"}}'"),
		want:   []string{"a=p-x"},
	},
	"patch no map": {
		reason: "it must be a map", spec: fast("generators: [{list: {elements: [{app: a}]}}]\ntemplatePatch: '- a'"), wantErr: "templatePatch: ",
	},
	"patch wrong type": {
		reason: "an error for one parameter set fails all", wantErr: "no part of an Application",
		spec: fast("generators: [{list: {elements: [{app: a, v: '1'}, {app: b, v: x}]}}]\ntemplatePatch: 'spec: {revisionHistoryLimit: {{v}}}'"),
	},
}

var checkCases = map[string]expansion{
	"equal names": {
		reason: "none of a name, but the others", rejected: []string{"a:validation"}, want: []string{"b=z"},
		spec: fast("generators: [{list: {elements: [{app: a, v: '1'}, {app: b, v: z}]}}, {list: {elements: [{app: a, v: '2'}]}}]"),
	},
	"project missing": {
		reason: "only that Application", rejected: []string{"a:validation"}, want: []string{"b=other"},
		spec: replaced(fast("generators: [{list: {elements: [{app: a, v: ghost}, {app: b, v: other}]}}]"), "project: default", "project: '{{v}}'"),
	},
	"destination by name": {
		reason: "in-cluster always exists, an unknown name does not", rejected: []string{"a:validation"}, want: []string{"b=in-cluster", "c=prod"},
		spec: replaced(fast("generators: [{list: {elements: [{app: a, v: gone}, {app: b, v: in-cluster}, {app: c, v: prod}]}}]"), "server: https://kubernetes.default.svc", "name: '{{v}}'"),
	},
	"destination by server": {
		reason: "a trailing slash does not matter", rejected: []string{"b:validation"}, want: []string{"a=https://prod.example.com/"},
		spec: replaced(fast("generators: [{list: {elements: [{app: a, v: 'https://prod.example.com/'}, {app: b, v: 'https://gone.example.com'}]}}]"), "server: https://kubernetes.default.svc", "server: '{{v}}'"),
	},
	"destination twice": {
		reason: "name and server exclude one another", rejected: []string{"a:validation"},
		spec: replaced(fast("generators: [{list: {elements: [{app: a}]}}]"), "svc}", "svc, name: prod}"),
	},
	"destination missing": {
		reason: "one of them must be there", rejected: []string{"a:validation"},
		spec: replaced(fast("generators: [{list: {elements: [{app: a}]}}]"), "server: https://kubernetes.default.svc", "namespace: x"),
	},
	"no name": {
		reason: "an empty name is told before the API server does", rejected: []string{":validation"},
		spec: fast("generators: [{list: {elements: [{app: ''}]}}]"),
	},
	"bad name": {
		reason: "what every API server refuses", rejected: []string{"Upper:apiserver"}, want: []string{"b={{v}}"},
		spec: fast("generators: [{list: {elements: [{app: Upper}, {app: b}]}}]"),
	},
}

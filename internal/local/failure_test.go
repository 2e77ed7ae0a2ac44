package local

import (
	"errors"
	"strings"
	"testing"
)

func TestAFailedStartIsOneSentence(t *testing.T) {
	tests := map[string]struct {
		reason, said, want string
	}{
		"ItsOwnError": {
			reason: "the line that causeway-kube ends with says why, whatever its components print around it",
			said:   "causeway-kube: exit status 1:\n{\"level\":\"fatal\"}\nerror: cannot start etcd: no space left\nend of the log:\n" + strings.Repeat("x", 9000),
			want:   "cannot start cluster dev: cannot start etcd: no space left; its log: dev.log",
		},
		"Panic": {
			reason: "a component that gives up prints why, and then its stack",
			said:   "cannot start the embedded cluster dev: causeway-kube: exit status 2:\n{\"level\":\"fatal\"}\npanic: the file is damaged\n\ngoroutine 1 [running]:",
			want:   "cannot start cluster dev: panic: the file is damaged; its log: dev.log",
		},
		"NoWords": {
			reason: "without last words the exit status has to do",
			said:   "cannot start the embedded cluster dev: causeway-kube: signal: killed",
			want:   "cannot start cluster dev: causeway-kube: signal: killed; its log: dev.log",
		},
		"Long": {
			reason: "a line of kilobytes is cut",
			said:   "error: " + strings.Repeat("x", 9000),
			want:   "cannot start cluster dev: " + strings.Repeat("x", longestSentence) + "…; its log: dev.log",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := startFailure{cluster: "dev", log: "dev.log", err: errors.New(tc.said)}.Error()
			if got != tc.want {
				t.Errorf("%s\n got: %s\nwant: %s", tc.reason, got, tc.want)
			}
		})
	}
}

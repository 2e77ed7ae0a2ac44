package apiserver

// AuditPolicy is the content of the audit policy file: one line a finished request, with who, what and when, and
// without bodies, so that Secrets stay out of the log.
const AuditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted, Panic]
rules:
- level: Metadata
`

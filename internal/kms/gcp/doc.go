// Package gcp encrypts with a key of Google Cloud KMS.
package gcp

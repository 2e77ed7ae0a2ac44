// Package aws encrypts with a key of AWS KMS.
package aws

"""Pure: rule kinds, baseline data, `resolve(spec, host) -> Policy`, path spellings, globs. Nothing here touches the disk."""

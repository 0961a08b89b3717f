@_exported public import Chronicle

/** What an editor gives the page of the kernel view; there is no such function in a browser. */
declare const acquireVsCodeApi: undefined | (() => { postMessage(message: object): void });

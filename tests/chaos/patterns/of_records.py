"""What the readers of bibliographies, sources, values and settings look out for."""

from __future__ import annotations

from tests.chaos.patterns.tokens import Tokens, tokens

BIBTEX = Tokens(
    contexts=tokens(
        r"""
        @article{ @article{k, @article{k,␣title={ @article{k,␣title=" @article{k,␣title={a},⏎
        @article{k,␣author={ @article{k,␣ids={ @article{k,␣xdata={ @article{k,␣keywords={
        @article{k,␣crossref= @article{k,␣note={\cite{ @article{k,␣title=a␣#␣
        @article(k,␣title={ @string{ @string{a␣=␣ @comment{ @preamble{ % <<<<<<<␣a⏎
        """
    ),
    signs=tokens(
        r"""
        @article{k,␣title={ @article{k,⏎ @article{ ⏎@article{k,⏎␣title={a}} @article(k,
        @string{a={b}} @string{ @comment{ @preamble{ @a @ title={ title={a}, title=" ids={a,
        ids={a}, xdata={a, xdata=a-b-1 keywords={a, crossref={a}, related={a, entryset={a, { } "
        , = # ( ) ⏎ ␣and␣ a, % ， \cite{ \" ⏎⏎ a␣ a␣=␣ a␣#␣
        """
    ),
    pieces=tokens(
        r"""
        IDS={a, ids␣=␣a, ids={ xdata={ xdata=a keywords={ author={a␣and␣ author␣=␣"a"␣#␣
        month=jan␣#␣ year={2020}, url={http:// doi={10.1/ file={a:b:c; note={\cite{a
        note={\cite{a}}, abstract={ a={b} a={b}⏎ a={b}␣c={d} {a} {{a}} "a"␣#␣ \'{e} \'e \{ $a$
        \ce{ @article␣{k⏎ ␣@article{a␣b,␣ @article{, @article{k= @string{a= @string{a=a,
        @string(a={b}) @preamble{"a"␣#␣ @comment{@article{k, @entry @xdata{a,␣xdata={b}}⏎
        @article{k,␣crossref={k}}⏎ @article{k,␣xdata={k}}⏎ @set{k,␣entryset={a,b}}⏎ <<<<<<<␣a⏎
        =======⏎ >>>>>>>␣a⏎ %␣a⏎ ↵ ␣， "， }，
        """
    ),
)

NAMES = Tokens(
    contexts=tokens(
        r"""
        A.␣ Doe,␣ { {\"
        """
    ),
    signs=tokens(
        r"""
        ␣and␣ and␣ ,␣ , ; ;␣ ␣&␣ & { } {A␣and␣B} \" \"{ \' ~ - . A.␣ J.␣Doe Doe,␣J. von␣ de␣la␣
        Jr. others et␣al. $ \and␣ ( ) 张三 、 ， · AB < &amp; ⏎
        """
    ),
    pieces=tokens(
        r"""
        ids={a, xdata={a, xdata=a-author-1␣and␣ keywords={a, family= family=Doe,␣given=J␣and␣
        A␣and␣ A␣and␣B␣and␣ Doe,␣J.␣and␣ Doe,␣J.,␣ Doe␣J,␣ Doe,␣Jr.,␣J.␣and␣ A.␣B.,␣ {A}␣and␣ {A
        and␣and␣ ␣AND␣ ⏎and⏎ A␣B␣ de␣ Doe␣et␣al␣ A,␣ O' <i> \a \a{ \textbf{ @article{k,␣title={
        @comment{ \[ \( [@ @a␣ 1.␣ [fn:: --- ...
        """
    ),
)

TITLES = Tokens(
    contexts=tokens(
        r"""
        { $ < <i> https:// 10.1000/ \ifx␣ A␣title:␣
        """
    ),
    signs=tokens(
        r"""
        { } $ $a$ \ \a \a{ \textbf{ \( \) \[ \] \" \'{ < <i> </i> <a␣ & &amp; &# ^ _ ^{ _{ - --
        :␣ .␣ " `` '' ' ~ ( ) [ ] ⏎ ␣ a␣ A
        """
    ),
    pieces=tokens(
        r"""
        ids={a, xdata={a, keywords={a, @article{k,␣title={ @comment{ @preamble{ [@ @a␣ 1.␣ [fn::
        --- ... RETRACTED:␣ Retracted␣ WITHDRAWN \if \fi \else \ifmmode \ce{ \href{ \url{
        \enquote{ \emph{ \mathrm{ \frac{ \ensuremath{ {\it␣ {{ }} \$ \{ $$ <mml:math> <math>
        <![CDATA[ <!-- &lt; &lt;i&gt; https:// http://a/ doi: doi:10. 10.1000/
        https://doi.org/10. arXiv: arXiv:2001.00001 hal- PMC1 2020 20 -20 2020-01-01 1234-5678
        978 ISBN␣ \par␣ %a⏎ \\ Ａ é é ́ ​ ­ ß
        """
    ),
)

PRINTED = Tokens(
    contexts=tokens(
        r"""
        [1]␣ 1.␣ Doe,␣J.␣ J.␣Doe,␣ A.␣B.␣Doe␣and␣ \newblock␣ “ `` 张三.␣ References⏎ [1]␣A.␣Doe.␣
        """
    ),
    signs=tokens(
        r"""
        Doe,␣J.,␣ J.␣Doe,␣ Doe␣J,␣ Doe A. A.␣ J.␣ ␣and␣ and␣ ,␣ .␣ . ;␣ ␣&␣ et␣al.␣ van␣ de␣la␣
        (2020).␣ 2020 2020.␣ ( ) “ ” " `` '' { } \newblock␣ \emph{ \ [1]␣ [J] [ ] 1.␣ ⏎ ⏎⏎ - :␣
        / In␣ https://a.b/ 张 三， 等 .␣基于 a␣ A␣
        """
    ),
    pieces=tokens(
        r"""
        ids={a, @article{k,␣title={ \textbf{ \bibinfo{author}{ \bibinfo{title}{A}
        \href{http://a}{ \url{ \bibnamefont{ \newblock \BibitemOpen␣ pp.␣ pp.␣1-2 1-2 1–2 vol.␣
        vol.␣1,␣ no.␣ ,␣2020 ␣(2020)␣ 2020a 2020- doi:10. arXiv: arXiv:␣ Accessed␣ Journal␣of␣
        Doe,␣J.␣(2020).␣A.␣ J.␣Doe.␣A.␣B,␣2020.␣ [1]␣J.␣Doe.␣A.␣B,␣2020.⏎
        1.␣J.␣Doe.␣A.␣B,␣2020.⏎ Doe,␣J.␣2020.␣A.⏎ [Doe20]␣ [DFO+01]␣ References⏎ Bibliography⏎
        REFERENCES Appendix⏎ 参考文献⏎ (Doe,␣2020)␣ (Doe␣2020;␣ Doe␣(2020)␣ [1,␣ [1- [1–9] ¹ ¹² a¹
        Doe¹,␣ ² a-⏎ 中⏎ ——.␣ ——— Á O' O’ Mc Eds.␣ (eds.)␣ (Ed.),␣ In:␣ [C]//␣ [M].␣ ，2020，
        A.␣A.␣A.␣ A␣B␣C␣ Aa␣Bb␣ Aa,␣A.␣ d' Jr.␣
        """
    ),
)

YAML = Tokens(
    contexts=tokens(
        r"""
        references:⏎ references:⏎-␣id:␣a⏎␣␣title:␣ -␣id:␣a⏎␣␣title:␣ -␣id:␣a⏎␣␣author:⏎ ---⏎
        a:␣[ a:␣{ a:␣" a:␣' a:␣|⏎␣ a:␣>⏎␣ a:⏎␣␣title:␣ a:⏎␣␣author:⏎␣␣-␣
        -␣id:␣a⏎␣␣issued:⏎␣␣␣␣date-parts:⏎␣␣␣␣-␣-␣
        """
    ),
    signs=tokens(
        r"""
        ---⏎ ...⏎ --- ... -␣ -␣a⏎ -␣id:␣a⏎ a:⏎ a:␣b⏎ a:␣ ␣a:␣b⏎ ?␣ [ ] { } , " ' |⏎ >⏎ &a␣ *a␣
        !a␣ %a⏎ # #␣a⏎ ␣# :␣ @ ` ⏎ ⏎⏎ ␣⏎ ␣
        """
    ),
    pieces=tokens(
        r"""
        -␣id:␣a⏎␣␣title:␣b⏎ -␣title:␣b⏎ ␣-␣ ␣␣-␣a⏎ -␣-␣ -⏎ -␣[ -␣{ {a:␣ [a,␣ "a⏎ "\ <<:␣*a⏎ &a⏎
        !!a␣ !!python/ a:␣|⏎␣␣b⏎ a:␣>-⏎␣␣b⏎ a:␣&a␣[*a]⏎ title:␣a⏎ title:␣" author:␣a⏎
        ␣␣author:␣a⏎ ␣␣parent:⏎ ␣␣parent:⏎␣␣␣␣title:␣a⏎ type:␣article⏎ a:␣2020-01-01⏎ a:␣1:1⏎ ⇥⏎
        ↵ %YAML␣1.2⏎ id:␣a⏎ "a":␣ date-parts:␣[[ <i>a</i> *a* ** [a]{. ^a^
        """
    ),
)

JSON = Tokens(
    contexts=tokens(
        r"""
        [ [{"id":␣"a",␣"title":␣" [{"id":␣"a",␣"author":␣[ {"items":␣[ {"a":␣" [{"id":␣1,⏎
        """
    ),
    signs=tokens(
        r"""
        { } [ ] " : , {"id":␣"a"}, {"id":␣"a",␣"title":␣"b"}, {"id":␣"a",␣"title":␣" {"id":
        "a":␣ "a", "id":␣"a", \ \" \u \u00e9 null, 1, 1 - true [{ }] ⏎ ␣
        """
    ),
    pieces=tokens(
        r"""
        {"id":␣"a" {"id":␣"a"}⏎ {"id":␣"a",␣"title":␣"b"}⏎ {"id":␣"a",␣"title":␣"b"}
        {"title":␣"a"}⏎ {"id":␣"a",␣"title":␣{ {"id":␣"a",␣"title":␣[ {"a":␣ {"a":␣{ [[ "a "\
        \ud800 1e 1e9 -1 0. NaN Infinity // /* {"citationKey":␣"a",␣"title":␣"b"},
        {"family":␣"a"}, {"literal":␣"a"}, {"date-parts":␣[[ "citation-key":␣"a",
        "extra":␣"a:␣b\n", \n <i>
        """
    ),
)

TAGGED = Tokens(
    contexts=tokens(
        r"""
        TY␣␣-␣JOUR⏎ TY␣␣-␣JOUR⏎TI␣␣-␣ TY␣␣-␣JOUR⏎AU␣␣-␣ PMID-␣1⏎TI␣␣-␣ %0␣Journal␣Article⏎
        %0␣Journal␣Article⏎%T␣ FN␣Clarivate⏎PT␣J⏎ RT␣Journal⏎T1␣ {Reference␣Type}:␣Journal⏎
        SrcDatabase-来源:␣a⏎
        """
    ),
    signs=tokens(
        r"""
        TY␣␣-␣JOUR⏎ TY␣␣-␣ ER␣␣-␣⏎ ER␣␣- TI␣␣-␣a⏎ AU␣␣-␣A,␣B⏎ AU␣␣-␣ ID␣␣-␣a⏎ - -␣ ␣␣-␣ TY ER A1
        %0␣a⏎ %T␣a⏎ %A␣ % PT␣J⏎ AF␣A⏎ ␣␣␣a⏎ ER⏎ PMID-␣1⏎ {Title}:␣a⏎ { }:␣ a⏎ ⏎ ⏎⏎ ␣ ↵
        """
    ),
    pieces=tokens(
        r"""
        TY␣␣-␣JOUR⏎TI␣␣-␣a⏎ER␣␣-␣⏎ TY␣␣-␣JOUR⏎ID␣␣-␣a⏎ER␣␣-␣⏎ TY␣␣-␣JOUR↵ TI␣␣- PY␣␣-␣2020⏎
        DO␣␣-␣10.1/a⏎ UR␣␣-␣http://a⏎ AB␣␣-␣a⏎ KW␣␣-␣a⏎ N1␣␣-␣a⏎ SP␣␣-␣1⏎ Provider:␣a⏎
        Database:␣a⏎ Content:␣a⏎ FAU␣-␣A⏎ LID␣-␣10.1/a␣[doi]⏎ ␣␣␣␣␣␣a⏎ CR␣A,␣2020⏎ EF⏎
        {Author}:␣a⏎ Title-题名:␣a⏎ Author-作者:␣a;⏎ a⇥b⏎ a⇥
        """
    ),
)

XML = Tokens(
    contexts=tokens(
        r"""
        <dblp> <dblp><article␣key="a"><title> <PubmedArticleSet><PubmedArticle>
        <article␣article-type="a"><front> <article␣article-type="a"><body><p>
        <article␣article-type="a"><back><ref-list> <TEI><text><body><p> <TEI><teiHeader>
        <xml><records> <feed␣xmlns="http://arxiv.org/"> <collection> <dblp><!-- <dblp><![CDATA[
        <!DOCTYPE␣dblp␣[
        """
    ),
    signs=tokens(
        r"""
        <a> </a> <a/> <a < > & &a; &amp; &# " = <!-- --> <![CDATA[ ]]> <?a <article>
        <article␣key="a"><title>a</title></article> <title> <author>a</author>
        <ref␣id="a"><mixed-citation>a</mixed-citation></ref>
        <xref␣ref-type="bibr"␣rid="a">1</xref> <ref␣target="#a">1</ref> <p>a</p> <p> a␣ a.␣A ⏎
        """
    ),
    pieces=tokens(
        r"""
        <!ENTITY␣a␣"b"> <!ENTITY␣a <sec><title>a</title> <abstract>a</abstract> <abstract>
        <name><surname>a</surname></name> <biblStruct>
        <biblStruct␣xml:id="a"><analytic><title>a</title></analytic></biblStruct>
        <PubmedArticle>
        <PubmedArticle><MedlineCitation><PMID>1</PMID></MedlineCitation></PubmedArticle>
        <record><titles><title>a</title></titles></record>
        <entry><id>a</id><title>a</title></entry>
        <volume␣id="a"><paper␣id="1"><title>a</title></paper></volume> <b>a</b> <xref>
        ,<xref␣ref-type="bibr"␣rid="a">1</xref> [<xref␣ref-type="bibr"␣rid="a">1</xref>–
        ␣xmlns="a" ␣a="b"
        """
    ),
)

TOML = Tokens(
    contexts=tokens(
        r'''
        a␣=␣[ a␣=␣{ a␣=␣" a␣=␣""" a␣=␣' [a. [[a]]⏎ a.
        '''
    ),
    signs=tokens(
        r'''
        [a]⏎ [[a]]⏎ [ ] { } a␣=␣1⏎ a␣=␣ a. " """ ' = , . # 1 1_ \ ⏎ ␣
        '''
    ),
    pieces=tokens(
        r"""
        [a.b]⏎ a.b␣=␣1⏎ [[a.b]]⏎ 0x1 1e 2020-01-01␣ {a= [[ inf true, a.b. a={b= [a.b.
        """
    ),
)
